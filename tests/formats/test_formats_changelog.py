"""The changelog formats: what Flink's own tests say of them, and its quirks."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from tests.formats.formats_tables import bind, parse_columns

from firesteel.changelog.kind import RowKind
from firesteel.formats.arrow_type import arrow_schema
from firesteel.formats.builtin import make_decoder, make_encoder
from firesteel.formats.cdc.decoder import ChangelogDecoder
from firesteel.formats.codec import Decoded, Reason

PRODUCTS = "id INT NOT NULL, name STRING, description STRING, weight FLOAT"
IGNORE = {"ignore-parse-errors": "true"}
_SIGNS = {RowKind.INSERT: "+I", RowKind.UPDATE_BEFORE: "-U", RowKind.UPDATE_AFTER: "+U", RowKind.DELETE: "-D"}
_KINDS = list(RowKind)


def decode(
    name: str,
    columns: str,
    messages: Sequence[Any],
    options: dict[str, str] | None = None,
    metadata: dict[str, str] | None = None,
) -> Decoded:
    """Both paths, which must agree; a message that is no bytes is written as JSON."""
    texts = [json.dumps(message).encode() if isinstance(message, dict) else message for message in messages]
    bound = bind(parse_columns(columns), name, options)
    decoder = make_decoder(bound, bound.columns, metadata or {})
    assert isinstance(decoder, ChangelogDecoder)
    decoded, exact = decoder.decode(texts), decoder.decode_exactly(texts)
    assert decoded.batch.equals(exact.batch)
    assert decoded.rejects == exact.rejects
    assert decoded.kinds is not None
    assert decoded.kinds.equals(exact.kinds)
    return decoded


def rows(decoded: Decoded) -> list[tuple[Any, ...]]:
    """Each row with its sign first."""
    assert decoded.kinds is not None
    signs = [_SIGNS[_KINDS[kind]] for kind in decoded.kinds.to_pylist()]
    values = [tuple(row.values()) for row in decoded.batch.to_pylist()]
    return [(sign, *value) for sign, value in zip(signs, values, strict=True)]


def encode(name: str, columns: str, changes: Sequence[tuple[Any, ...]], options: dict[str, str] | None = None) -> Any:
    fields = parse_columns(columns)
    schema = arrow_schema(fields)
    arrays = [pa.array([change[place + 1] for change in changes], column.type) for place, column in enumerate(schema)]
    kinds = pa.array([[*_SIGNS.values()].index(change[0]) for change in changes], pa.int8())
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
    return make_encoder(bind(fields, name, options)).encode(batch, kinds)


def product(identity: Any, name: Any, description: Any, weight: Any) -> dict[str, Any]:
    return {"id": identity, "name": name, "description": description, "weight": weight}


HAMMER = (106, "hammer", "16oz carpenter's hammer", 1.0)
NEW_HAMMER = (106, "hammer", "18oz carpenter hammer", 1.0)
SCOOTER = {
    "before": None,
    "after": product(101, "scooter", "Small 2-wheel scooter", 3.140000104904175),
    "source": {
        "version": "1.1.1.Final",
        "connector": "mysql",
        "name": "dbserver1",
        "ts_ms": 0,
        "snapshot": "true",
        "db": "inventory",
        "table": "products",
        "server_id": 0,
        "gtid": None,
        "file": "mysql-bin.000003",
        "pos": 154,
        "row": 0,
        "thread": None,
        "query": None,
    },
    "op": "c",
    "ts_ms": 1589355606100,
    "transaction": None,
}


def test_debezium_messages_become_changes() -> None:
    update = {"before": product(*HAMMER), "after": product(*NEW_HAMMER), "op": "u"}
    delete = {"before": product(*HAMMER), "after": None, "op": "d"}
    found = rows(decode("debezium-json", PRODUCTS, [SCOOTER, update, None, b"", delete]))
    scooter = found.pop(0)
    assert scooter[:4] == ("+I", 101, "scooter", "Small 2-wheel scooter")
    assert scooter[4] == pytest.approx(3.14)
    assert found == [("-U", *HAMMER), ("+U", *NEW_HAMMER), ("-D", *HAMMER)]


@pytest.mark.parametrize(("word", "change"), [("u", "update"), ("d", "delete")])
def test_debezium_without_a_before_image(word: str, change: str) -> None:
    message = {"before": None, "after": product(*HAMMER), "op": word}
    (reject,) = decode("debezium-json", PRODUCTS, [message]).rejects
    assert reject.reason is Reason.MISSING_FIELD
    assert f"'before' of the {change} is null" in reject.detail
    assert "REPLICA IDENTITY to FULL" in reject.detail


def test_an_unknown_operation_of_debezium_is_rejected() -> None:
    message = {"before": None, "after": None, "op": "UNKNOWN_OP"}
    for options in ({}, IGNORE):
        decoded = decode("debezium-json", PRODUCTS, [message], options)
        assert decoded.batch.num_rows == 0
        (reject,) = decoded.rejects
        assert (reject.kept, reject.reason) == (False, Reason.BAD_VALUE)
        assert "'UNKNOWN_OP'" in reject.detail


def test_debezium_writes_inserts_and_deletes() -> None:
    assert encode(
        "debezium-json", PRODUCTS, [("-U", *HAMMER), ("+U", *NEW_HAMMER), ("+I", *HAMMER), ("-D", *HAMMER)]
    ) == [
        b'{"before":{"id":106,"name":"hammer","description":"16oz carpenter\'s hammer","weight":1.0},"after":null,"op":"d"}',
        b'{"before":null,"after":{"id":106,"name":"hammer","description":"18oz carpenter hammer","weight":1.0},"op":"c"}',
        b'{"before":null,"after":{"id":106,"name":"hammer","description":"16oz carpenter\'s hammer","weight":1.0},"op":"c"}',
        b'{"before":{"id":106,"name":"hammer","description":"16oz carpenter\'s hammer","weight":1.0},"after":null,"op":"d"}',
    ]


def test_debezium_encoding_without_nulls() -> None:
    options = {"encode.ignore-null-fields": "true"}
    assert encode("debezium-json", "id INT, s STRING", [("+I", 1, None), ("-D", 1, "x")], options) == [
        b'{"after":{"id":1},"op":"c"}',
        b'{"before":{"id":1,"s":"x"},"op":"d"}',
    ]


def test_debezium_metadata_become_columns() -> None:
    metadata = {
        "schema": "schema",
        "taken": "ingestion-timestamp",
        "made": "source.timestamp",
        "db": "source.database",
        "sc": "source.schema",
        "tb": "source.table",
        "all": "source.properties",
    }
    decoded = decode("debezium-json", "id INT", [SCOOTER, {"after": {"id": 2}, "op": "c"}], {}, metadata)
    first, second = decoded.batch.to_pylist()
    utc = datetime.UTC
    assert first["taken"] == datetime.datetime(2020, 5, 13, 7, 40, 6, 100_000, tzinfo=utc)
    assert first["made"] == datetime.datetime(1970, 1, 1, tzinfo=utc)
    assert (first["schema"], first["db"], first["sc"], first["tb"]) == (None, "inventory", None, "products")
    assert len(first["all"]) == 14
    assert dict(first["all"])["pos"] == "154"
    assert second == {"id": 2} | dict.fromkeys(metadata)


def test_the_schema_of_debezium_is_a_text_in_json() -> None:
    message = {"schema": {"type": "struct", "n": 1.50}, "payload": {"after": {"id": 1}, "op": "r"}}
    decoded = decode("debezium-json", "id INT", [message], {"schema-include": "true"}, {"s": "schema"})
    assert decoded.batch.to_pylist() == [{"id": 1, "s": '{"type":"struct","n":1.5}'}]


def test_debezium_takes_an_array_of_one_message() -> None:
    one, two = b'[{"after":{"id":1},"op":"c"}]', b'[{"after":{"id":1},"op":"c"},{"after":{"id":2},"op":"c"}]'
    assert rows(decode("debezium-json", "id INT", [one, b"[null," + one[1:]])) == [("+I", 1), ("+I", 1)]
    assert len(decode("debezium-json", "id INT", [two, b"[]"]).rejects) == 2


def test_debezium_ignores_fields_and_messages() -> None:
    messages = [
        {"after": {"id": 5, "w": "heavy"}, "op": "c"},
        b"not json",
        {"op": "c"},
        {"after": {"id": 6, "w": 1.0}},
        {"before": {"id": 1, "w": "bad, and not needed"}, "after": {"id": 7, "w": 7}, "op": "c"},
    ]
    decoded = decode("debezium-json", "id INT, w DOUBLE", messages, IGNORE)
    assert rows(decoded) == [("+I", 5, None), ("+I", 7, 7.0)]
    assert [(reject.index, reject.kept, reject.column) for reject in decoded.rejects] == [
        (0, True, "w"),
        (1, False, None),
        (2, False, None),
        (3, False, None),
    ]
    # Both images are read before anybody asks what happened.
    assert [reject.index for reject in decode("debezium-json", "id INT, w DOUBLE", messages[4:]).rejects] == [0]


def test_a_tree_reads_numbers_otherwise_than_tokens() -> None:
    """Where the reader of trees differs from the reader of tokens."""
    row = {"s": 1.10, "b": 5, "m": 7, "f": 0.1, "l": 9.5}
    decoded = decode(
        "debezium-json", "s STRING, b BYTES, m MAP<STRING, INT>, f FLOAT, l BIGINT", [{"after": row, "op": "c"}]
    )
    assert decoded.batch.to_pylist()[0]["s"] == "1.1"
    assert rows(decoded)[0][2:4] == (None, [])
    # With a DECIMAL column anywhere in the table, fractions are exact, and printed as such.
    message = b'{"after":{"s":100.0,"d":1.005},"op":"c"}'
    assert rows(decode("debezium-json", "s STRING, d DECIMAL(5, 2)", [message])) == [("+I", "1E+2", Decimal("1.01"))]


def test_debezium_numbers_for_times_and_bytes_for_decimals() -> None:
    columns = (
        "d DATE, t TIME(3), a TIMESTAMP(3), b TIMESTAMP(6), c TIMESTAMP_LTZ(3), n DECIMAL(10, 2), v DECIMAL(10, 2)"
    )
    image = {
        "d": 18262,
        "t": 43_932_123,
        "a": 1577836800123,
        "b": 1577836800123456,
        "c": "2020-01-01 00:00:00Z",
        "n": "AeJA",
        "v": {"scale": 3, "value": "MDk="},
    }
    message = {"after": image, "op": "c"}
    assert len(decode("debezium-json", columns, [message]).rejects) == 1
    options = {"decode.time-precision-mode": "adaptive", "decode.decimal-handling-mode": "precise"}
    (row,) = decode("debezium-json", columns, [message], options).batch.to_pylist()
    moment = datetime.datetime(2020, 1, 1)
    assert row == {
        "d": datetime.date(2020, 1, 1),
        "t": datetime.time(12, 12, 12, 123_000),
        "a": moment.replace(microsecond=123_000),
        "b": moment.replace(microsecond=123_456),
        "c": moment.replace(tzinfo=datetime.UTC),
        "n": Decimal("1234.56"),
        "v": Decimal("12.35"),
    }
    plain = {"after": {"d": 1, "t": 1000, "a": 1, "b": 1000, "c": 5, "n": "AQ==", "v": "AQ=="}, "op": "c"}
    micros = {"decode.time-precision-mode": "adaptive_time_microseconds", "decode.decimal-handling-mode": "precise"}
    (row,) = decode("debezium-json", columns, [plain], micros).batch.to_pylist()
    assert row["t"] == datetime.time(0, 0, 0, 1000)
    assert row["n"] == Decimal("0.01")
    connect = micros | {"decode.time-precision-mode": "connect"}
    (row,) = decode("debezium-json", columns, [plain], connect).batch.to_pylist()
    assert row["t"] == datetime.time(0, 0, 1)
    assert row["b"] == datetime.datetime(1970, 1, 1, 0, 0, 1)


def canal(kind: str, data: Any, old: Any = None, **rest: Any) -> dict[str, Any]:
    return {"data": data, "database": "inventory", "old": old, "table": "products2", "type": kind} | rest


def test_canal_keeps_an_explicit_null() -> None:
    data = [product("106", "hammer", "18oz carpenter hammer", "1.0")]
    decoded = decode("canal-json", PRODUCTS, [canal("UPDATE", data, [{"description": None}])])
    assert rows(decoded) == [("-U", 106, "hammer", None, 1.0), ("+U", *NEW_HAMMER)]


def test_canal_updates_of_several_rows() -> None:
    data = [product("101", "a", "b", "5.17"), product("102", "c", "d", "5.17")]
    decoded = decode("canal-json", PRODUCTS, [canal("UPDATE", data, [{"weight": "3.14"}, {"weight": "8.1"}])])
    assert rows(decoded) == [
        ("-U", 101, "a", "b", pytest.approx(3.14)),
        ("+U", 101, "a", "b", pytest.approx(5.17)),
        ("-U", 102, "c", "d", pytest.approx(8.1)),
        ("+U", 102, "c", "d", pytest.approx(5.17)),
    ]


def test_canal_a_column_named_in_one_old_row_counts_for_all() -> None:
    data = [{"a": "1", "b": "1"}, {"a": "2", "b": "2"}]
    decoded = decode("canal-json", "a INT, b INT", [canal("UPDATE", data, [{"a": "9"}, {"b": "8"}])])
    assert rows(decoded) == [("-U", 9, None), ("+U", 1, 1), ("-U", None, 8), ("+U", 2, 2)]


def test_canal_ignores_create_and_refuses_other_types() -> None:
    messages = [canal("CREATE", None, isDdl=True), canal("INVALID", None), {"type": "INSERT"}]
    decoded = decode("canal-json", PRODUCTS, messages)
    assert decoded.batch.num_rows == 0
    assert [reject.index for reject in decoded.rejects] == [1, 2]
    assert "'INVALID'" in decoded.rejects[0].detail


def test_canal_leaves_out_other_databases_and_tables() -> None:
    data = [{"id": "1"}]
    messages = [
        canal("INSERT", data, database="mydb", table="product"),
        canal("INSERT", data, database="mydb", table="a product"),
        canal("INSERT", data, database="other", table="product"),
        canal("ALTER", None, database="other", table="product"),
        canal("INSERT", "no rows", database="other", table="product"),
    ]
    options = {"database.include": "^my.*", "table.include": "^prod.*"}
    decoded = decode("canal-json", "id INT", messages, options)
    assert rows(decoded) == [("+I", 1)]
    assert decoded.rejects == ()
    assert rows(decode("canal-json", "id INT", messages[1:3], options)) == []
    assert len(decode("canal-json", "id INT", [b'{"type":"INSERT","data":[]}'], options).rejects) == 1


def test_canal_metadata_become_columns() -> None:
    message = canal("INSERT", [{"id": "1"}], ts=1589373546301, es=1589373546000, pkNames=["id"], sqlType={"id": 4})
    metadata = {"d": "database", "q": "sql-type", "p": "pk-names", "i": "ingestion-timestamp", "e": "event-timestamp"}
    (row,) = decode("canal-json", "id INT", [message], {}, metadata).batch.to_pylist()
    assert (row["d"], row["q"], row["p"]) == ("inventory", [("id", 4)], ["id"])
    assert row["i"].isoformat() == "2020-05-13T12:39:06.301000+00:00"
    assert row["e"].isoformat() == "2020-05-13T12:39:06+00:00"


def test_canal_writes_inserts_and_deletes() -> None:
    changes = [("+I", 101, "scooter", "Small 2-wheel scooter", 3.14), ("-U", 106, "hammer", None, 1.0)]
    assert encode("canal-json", PRODUCTS, changes) == [
        b'{"data":[{"id":101,"name":"scooter","description":"Small 2-wheel scooter","weight":3.14}],"type":"INSERT"}',
        b'{"data":[{"id":106,"name":"hammer","description":null,"weight":1.0}],"type":"DELETE"}',
    ]


def test_maxwell_messages_become_changes_and_back() -> None:
    message = {
        "database": "test",
        "table": "product",
        "type": "update",
        "ts": 1596684893,
        "data": product(*NEW_HAMMER),
        "old": {"description": "16oz carpenter's hammer"},
        "primary_key_columns": ["id"],
    }
    metadata = {"p": "primary-key-columns", "i": "ingestion-timestamp"}
    decoded = decode("maxwell-json", PRODUCTS, [message, message | {"type": "delete", "old": None}], {}, metadata)
    at = datetime.datetime(2020, 8, 6, 3, 34, 53, tzinfo=datetime.UTC)
    tail = (["id"], at)
    assert rows(decoded) == [("-U", *HAMMER, *tail), ("+U", *NEW_HAMMER, *tail), ("-D", *NEW_HAMMER, *tail)]
    assert encode("maxwell-json", "id INT", [("+U", 1), ("-D", 1)]) == [
        b'{"data":{"id":1},"type":"insert"}',
        b'{"data":{"id":1},"type":"delete"}',
    ]


def test_ogg_messages_become_changes_and_back() -> None:
    stamps = {"current_ts": "2020-05-13T13:39:35.766000", "op_ts": "2020-05-13 15:40:06.123456"}
    messages = [
        {"op_type": "I", "after": {"id": 1}, "primary_keys": ["id"], "table": "OGG.T"} | stamps,
        {"op_type": "U", "before": {"id": 1}, "after": {"id": 2}},
        {"op_type": "D", "before": {"id": 2}},
        {"op_type": "T"},
    ]
    metadata = {"t": "table", "k": "primary-keys", "i": "ingestion-timestamp", "e": "event-timestamp"}
    decoded = decode("ogg-json", "id INT", messages, {}, metadata)
    first, *others = rows(decoded)
    assert first[:4] == ("+I", 1, "OGG.T", ["id"])
    # Flink declares microseconds and keeps milliseconds.
    assert [moment.isoformat() for moment in first[4:]] == [
        "2020-05-13T13:39:35.766000+00:00",
        "2020-05-13T15:40:06.123000+00:00",
    ]
    assert [row[:2] for row in others] == [("-U", 1), ("+U", 2), ("-D", 2)]
    assert [reject.index for reject in decoded.rejects] == [3]
    assert encode("ogg-json", "id INT", [("+I", 1), ("-U", 1)]) == [
        b'{"before":null,"after":{"id":1},"op_type":"I"}',
        b'{"before":{"id":1},"after":null,"op_type":"D"}',
    ]


def test_unknown_metadata_is_refused() -> None:
    bound = bind(parse_columns("id INT"), "canal-json")
    with pytest.raises(
        ValueError, match=r"'x' is the metadata 'value\.source\.table', which 'canal-json' does not have"
    ):
        make_decoder(bound, ["id"], {"x": "source.table"})
    with pytest.raises(ValueError, match="which 'json' does not have"):
        make_decoder(bind(parse_columns("id INT"), "json"), ["id"], {"x": "table"})


def test_one_bad_change_costs_one_change() -> None:
    messages: list[Any] = [b'{"before":null,"after":{"id":%d},"op":"c"}' % number for number in range(3000)]
    messages[1500] = b'{"before":null,"after":{"id":1},"op":"u"}'
    decoded = decode("debezium-json", "id INT", messages)
    assert [reject.index for reject in decoded.rejects] == [1500]
    assert decoded.batch.num_rows == 2999
