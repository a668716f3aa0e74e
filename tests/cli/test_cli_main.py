from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.cli import main as cli
from firesteel.cli.command import pairs, usual_bootstrap
from firesteel.errors import JobError, OutsideError, UsageError


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name, _, _ in cli.COMMANDS)
    assert cli.main(["help", "topic"]) == 0
    assert "list|create|delete|write|read" in capsys.readouterr().out


def test_version_names_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("firesteel 0.")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["brokr"], "'brokr' is not a command of firesteel. Did you mean 'broker'?"),
        (["xyzzy"], "'xyzzy' is not a command of firesteel. 'firesteel --help' lists the commands."),
        (["broker", "start", "--port", "0"], "'0' is not a port"),
        (["broker", "start", "--heap", "much"], "'much' is not a size"),
        (["topic", "create", "x", "--partitions", "none"], "'none' is not a whole number above 0"),
        (["topic", "create", "x", "--config", "secret"], "'--config' needs KEY=VALUE."),
        (["topic", "read", "x", "--format", "avro"], "The avro value needs a schema. Name its file with --schema"),
        (["topic", "read", "x", "--format", "json", "--schema", "s"], "'--schema' has no meaning"),
        (["topic", "read", "x", "--schema", "nowhere.avsc"], "'nowhere.avsc' cannot be read: No such file"),
    ],
)
def test_a_wrong_call_is_one_sentence(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2
    shown = capsys.readouterr()
    assert told in shown.err and shown.out == "" and shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UsageError("No."), 2),
        (OutsideError("No.", hint="Do."), 3),
        (JobError("No."), 1),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 0),
    ],
)
def test_exit_status_follows_blame(
    error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(_: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_dispatch", fail)
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    assert cli.main(["x"]) == status
    assert capfd.readouterr().err.strip() == str(error)


def test_a_surprise_goes_to_a_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(_: list[str]) -> int:
        raise KeyError("lost")

    monkeypatch.setattr(cli, "_dispatch", fail)
    monkeypatch.delenv("FIRESTEEL_DEBUG", raising=False)
    assert cli.main(["x"]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "unexpected KeyError" in told
    details = Path(told.rsplit(" ", 1)[1].strip(".\n"))
    assert "Traceback" in details.read_text()
    details.unlink()
    monkeypatch.setenv("FIRESTEEL_DEBUG", "1")
    with pytest.raises(KeyError):
        cli.main(["x"])


def test_the_command_line_itself_imports_nothing_heavy() -> None:
    code = (
        "import sys, firesteel.cli.main as m; m.main(['--version'])\n"
        "sys.exit(bool({'pyspark', 'pyarrow', 'polars', 'rich', 'confluent_kafka'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, stdout=subprocess.DEVNULL).returncode == 0


def test_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    code = "import sys; from firesteel.cli.main import main; sys.exit(main(['help']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.wait() == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_where_the_cluster_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path))
    assert usual_bootstrap({"FIRESTEEL_BOOTSTRAP": "there:1"}) == "there:1"
    assert usual_bootstrap({}) == "127.0.0.1:9092"


def test_a_pair_is_cut_at_its_first_equals_sign() -> None:
    assert pairs(["a=b", "c = d=e"], "--x") == {"a": "b", "c": "d=e"}
