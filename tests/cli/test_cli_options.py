from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from firesteel.cli.main import main
from firesteel.cli.reference.language import Language
from firesteel.cli.reference.page import render_text
from firesteel.cli.reference.tables import pages


def test_options_alone_lists_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options"]) == 0
    shown = capsys.readouterr().out
    for name in ("kafka", "upsert-kafka", "dli", "json", "csv", "avro", "settings", "properties", "metadata"):
        assert f"\n{name} " in f"\n{shown}"


def test_a_name_shows_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "kafka"]) == 0
    shown = capsys.readouterr().out
    assert (
        "scan.startup.mode\n"
        "    Where reading starts when there is no checkpoint.\n"
        "    Enum: earliest-offset, latest-offset, group-offsets, timestamp, specific-offsets · default:\n"
        "    group-offsets · source · other spellings: connector.startup-mode (Huawei DLI)\n"
    ) in shown
    assert "    scan.startup.mode = timestamp needs scan.startup.timestamp-millis.\n" in shown
    assert "\x1b" not in shown


def test_a_page_comes_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "JSON", "--lang", "zh"]) == 0
    assert "布尔 · 默认值：false · 源表" in capsys.readouterr().out


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(language: Language, width: int) -> None:
    for page in pages():
        for line in render_text(page, language, width).splitlines():
            columns = sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)
            # A closing sign may hang over.
            assert columns <= width + 2, line


def test_a_page_comes_as_json_and_as_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "raw", "--format", "json"]) == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    assert table["rows"][1] == {
        "option": "raw.endianness",
        "type": "Enum: big-endian, little-endian",
        "default": "big-endian",
        "applies to": "source and sink",
        "other spellings": "",
        "meaning": "The order of the bytes of a number.",
    }
    assert main(["options", "raw", "--format", "md"]) == 0
    assert "| `raw.charset` | Charset | `utf-8` |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "told"),
    [("kafak", "Did you mean 'kafka'?"), ("zzzzz", "There is kafka, upsert-kafka, dynamic-kafka, datagen,")],
)
def test_an_unknown_name_gets_the_nearest(name: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", name]) == 2
    assert told in capsys.readouterr().err


def test_write_makes_the_pages_or_says_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "--write", str(tmp_path)]) == 0
    assert (tmp_path / "zh" / "kafka.md").read_text(encoding="utf-8").startswith("# 连接器 kafka\n")
    assert "pages written" in capsys.readouterr().out
    (tmp_path / "file").write_text("")
    assert main(["options", "--write", str(tmp_path / "file")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["scan.startup.mode", "SCAN.STARTUP.MODE", "connector.startup-mode"])
def test_findings_c13_an_option_by_its_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", name]) == 0
    shown = capsys.readouterr().out
    assert "scan.startup.mode\n    Where reading starts when there is no checkpoint.\n" in shown
    assert "scan.bounded.mode" not in shown


def test_findings_c13_a_setting_and_an_option_of_a_format(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("table.exec.state.ttl", "json.ignore-parse-errors", "properties.security.protocol"):
        assert main(["options", name]) == 0
        assert name in capsys.readouterr().out
    assert main(["options", "scan.startup.mode", "--format", "json"]) == 0
    assert [page["name"] for page in json.loads(capsys.readouterr().out)] == ["kafka", "upsert-kafka", "dynamic-kafka"]
    assert main(["options", "scan.startup.mdoe"]) == 2
    assert "Did you mean 'scan.startup.mode'?" in capsys.readouterr().err
