"""The cutting of Debezium's usual messages agrees with the exact path, whatever the tails and the rows hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.formats.formats_strategies import QUICK, assert_same, mutated
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.builtin import make_decoder
from firesteel.formats.cdc.debezium_cut import Cutter
from firesteel.formats.cdc.decoder import ChangelogDecoder
from firesteel.formats.debezium.codec import ENVELOPE

_numbers = st.sampled_from(
    ["0", "7", "10", "42", "00", "07", "-1", "-01", "-0", "1.50", "1.05", "1e05", "01e5", "0.0", "99"]
)
_texts = st.sampled_from(
    [
        "x1",
        "a,b",
        "},",
        '},\\"source\\":{',
        "0012",
        "\\u0031",
        "\\\\",
        "\\n",
        "é",
        '},\\"after\\":',
        "null,",
        "{",
        "\\u006fp",
    ]
)
_rows = st.builds(
    lambda number, text, more: f'{{"id":{number},"name":"{text}"{more}}}',
    _numbers,
    _texts,
    st.sampled_from(["", ',"z":{"y":[1,{"x":2}]}', ',"source":{"a":1}', ',"z":{"q":1},"source":{}']),
)
_tails = st.builds(
    lambda first, a, b, word, last: f'"source":{{"ts":{first},"t":"{a}","u":"{b}"}},"op":"{word}",{last}',
    _numbers,
    _texts,
    _texts,
    st.sampled_from(["c", "r", "u", "d", "c", "r", "u", "d", "t", "1", ""]),
    st.one_of(
        _numbers.map(lambda number: f'"ts_ms":{number}'),
        st.sampled_from(
            ['"after":null', '"op":"c"', '"o1":1,"o1":2', '"transaction":null', '"\\u006fp":"d"', '"x":NaN', '"x"']
        ),
    ),
)


@st.composite
def _messages(draw: st.DrawFn) -> list[bytes | None]:
    tails = draw(st.lists(_tails, min_size=1, max_size=2))
    found: list[bytes | None] = []
    for _ in range(draw(st.integers(2, 6))):
        before = draw(st.one_of(st.just("null"), _rows))
        after = draw(st.one_of(st.just("null"), _rows, _rows))
        message = f'{{"before":{before},"after":{after},{draw(st.sampled_from(tails))}}}'.encode()
        found.append(draw(mutated(message)) if draw(st.integers(0, 9)) == 0 else message)
    return found


@QUICK
@given(_messages())
def test_messages_with_any_tail_are_cut_as_the_exact_path_reads_them(messages: list[bytes | None]) -> None:
    bound = bind(parse_columns("id BIGINT, name STRING"), "debezium-json")
    for columns in (["id", "name"], ["name"]):
        decoder = make_decoder(bound, columns)
        assert isinstance(decoder, ChangelogDecoder)
        assert_same(decoder.decode(messages), decoder.decode_exactly(messages))


def _message(number: int, *, before: str = "null", after: str = "", tail: str = "") -> bytes:
    row = after or f'{{"id":{number},"name":"n{number}"}}'
    rest = (
        tail
        or f'"source":{{"ts_ms":{1_000 + number},"seq":"[\\"{number}\\"]"}},"op":"{"c" if before == "null" else "u"}"'
    )
    return f'{{"before":{before},"after":{row},{rest}}}'.encode()


def test_usual_messages_are_cut() -> None:
    cutter = Cutter("op", ENVELOPE.changes)
    inserts = [_message(number) for number in range(2000)]
    updates = [_message(number, before=f'{{"id":{number}}}') for number in range(50)]
    deletes = [_message(number, before='{"id":1}', after="null", tail='"source":{},"op":"d"') for number in range(50)]
    cut = cutter.cut(inserts + updates + deletes)
    assert cut is not None
    assert bytes(cut.rows).count(b"\n") + 1 == len(cut.lengths) == 2000 + 100 + 50
    assert cut.rows.startswith(b'{"id":0,"name":"n0"}\n')
    assert cut.rows.endswith(b'\n{"id":1}')
    assert cut.changes.tolist() == [0] * 2000 + [1] * 50 + [2] * 50


def test_what_is_not_cut() -> None:
    cutter = Cutter("op", ENVELOPE.changes)
    good = [_message(number) for number in range(10)]
    for tail in (
        '"source":{},"op":"t"',
        '"source":{},"op":"c","op":"d"',
        '"source":{"n":01},"op":"c"',
        '"source":{"n":12},"op":"c","after":null',
        '"source":{"\\u0031":1},"op":"c"',
        '"source":{},"op":"c',
        '"other":{},"op":"c"',
    ):
        assert cutter.cut([*good, _message(1, tail=tail)]) is None, tail
    # Of one shape, and only one of them is wrong.
    assert cutter.cut([*good, _message(1, tail='"source":{"n":10},"op":"c"')]) is not None
    assert cutter.cut([_message(1, tail=f'"source":{{"n":{n}}},"op":"c"') for n in ("10", "20", "03")]) is None
