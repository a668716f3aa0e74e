"""The rows are complete and no two say the same."""

from __future__ import annotations

import re
from typing import Any

import pytest

from firesteel.connectors.builtin import CONNECTORS, connector
from firesteel.connectors.kafka.client.setting import PROPERTIES, treatment
from firesteel.formats.builtin import FORMATS, format_named
from firesteel.options import error_handling, legacy, setting
from firesteel.options.option import Option

TABLES: dict[str, tuple[Option[Any], ...]] = {
    **{spec.name: spec.rows for spec in CONNECTORS},
    **{spec.name: spec.rows for spec in FORMATS},
    "legacy": legacy.ROWS,
    "settings": setting.ROWS,
    "error-handling": error_handling.ROWS,
}
ROWS = [pytest.param(option, id=f"{name}:{option.key}") for name, rows in TABLES.items() for option in rows]


@pytest.mark.parametrize("option", ROWS)
def test_a_row_has_one_sentence_in_both_languages(option: Option[Any]) -> None:
    assert option.summary.endswith(".")
    assert option.summary_zh.endswith("。")
    assert re.search(r"[\u4e00-\u9fff]", option.summary_zh)
    assert option.kind.name
    assert "Please" not in option.summary


@pytest.mark.parametrize("name", TABLES)
def test_keys_and_other_names_are_unique(name: str) -> None:
    keys = [option.key for option in TABLES[name]]
    assert len(keys) == len(set(keys))
    # 'format.type' stands for both formats of an upsert table: DLI has one name for them.
    others = [alias.key for option in TABLES[name] for alias in option.aliases if alias.key != "format.type"]
    assert len(others) == len(set(others))
    assert not set(keys) & set(others)


def test_every_metadata_key_has_its_sentences() -> None:
    for metadata in [
        key for keys in (*(spec.metadata for spec in CONNECTORS), *(spec.metadata for spec in FORMATS)) for key in keys
    ]:
        assert metadata.summary.endswith(".") and metadata.summary_zh.endswith("。")


def test_the_product_has_them_all() -> None:
    assert [spec.name for spec in CONNECTORS] == [
        "kafka",
        "upsert-kafka",
        "dynamic-kafka",
        "datagen",
        "print",
        "blackhole",
    ]
    wanted = {"csv", "json", "avro", "debezium-json", "canal-json", "maxwell-json", "ogg-json", "raw", "avro-confluent"}
    assert {spec.name for spec in FORMATS} == wanted
    assert connector("jdbc") is None and format_named("orc") is None


@pytest.mark.parametrize("name", PROPERTIES)
def test_every_client_setting_is_treated(name: str) -> None:
    assert treatment(name) is PROPERTIES[name]
