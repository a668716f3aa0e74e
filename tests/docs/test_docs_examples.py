"""What the documents say is true: scripts pass, commands and flags exist, links lead somewhere, lists are the code's."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import firesteel
from firesteel.cli.command import CommandParser
from firesteel.cli.main import COMMANDS
from firesteel.errors import Source, render_problem
from firesteel.formats.builtin import FORMATS
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.function.aggregate import aggregate_names
from firesteel.plan.function.table import function_names
from firesteel.plan.show.explain import render_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
#: The pages under docs/reference are made by the code and have tests of their own.
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(page for page in (ROOT / "docs").rglob("*.md") if "reference" not in page.parts)]
)
EXAMPLES = sorted((ROOT / "examples").glob("*.sql"))
REFERENCES = ("reference-flink.sql", "reference-alibaba.sql", "reference-dli.sql")


@dataclass(frozen=True)
class Block:
    """A fenced block: `info` is what stands behind its first fence, `line` where that is."""

    document: Path
    line: int
    info: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"


def read_blocks(document: Path) -> list[Block]:
    blocks: list[Block] = []
    start: int | None = None
    lines = document.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if start is None:
            start = number
        else:
            info = lines[start - 1].removeprefix("```").strip()
            blocks.append(Block(document, start, info, "\n".join(lines[start : number - 1]) + "\n"))
            start = None
    assert start is None, f"{document.name}:{start}: the block is not closed"
    return blocks


BLOCKS = [block for document in DOCUMENTS for block in read_blocks(document)]
README = [block for block in BLOCKS if block.document == ROOT / "README.md"]


def read_scripts() -> Iterator[Block]:
    """Every block that is a script of its own, and the whole of those that are continued."""
    last: Block | None = None
    for block in BLOCKS:
        if block.info == "sql":
            yield block
            last = block
        elif block.info == "sql continued":
            assert last is not None and last.document == block.document, f"{block.place} continues nothing"
            last = Block(block.document, block.line, block.info, last.text + block.text)
            yield last


def read_commands() -> Iterator[tuple[str, list[str]]]:
    """The words behind `firesteel` of every command line, and where it stands."""
    for block in BLOCKS:
        if block.info not in ("console", "sh"):
            continue
        for number, line in enumerate(block.text.splitlines(), block.line + 1):
            if block.info == "console":
                if not line.startswith("$ "):
                    continue
                line = line.removeprefix("$ ")
            words = shlex.split(line, comments=True)
            names = [word.rpartition("/")[2] for word in words]
            if "firesteel" in names:
                yield f"{block.document.relative_to(ROOT)}:{number}", words[names.index("firesteel") + 1 :]


def by_path(document: Path) -> str:
    return str(document.relative_to(ROOT))


def by_place(value: object) -> str | None:
    return value.place if isinstance(value, Block) else value if isinstance(value, str) else None


def analyze_text(text: str, name: str = "job.sql") -> Analysis:
    return analyze(Source(name, text))


def render_errors(analysis: Analysis) -> str:
    return "\n\n".join(render_problem(problem, analysis.source) for problem in analysis.errors)


# -- scripts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", list(read_scripts()), ids=by_place)
def test_script_in_a_document_has_no_mistake(block: Block) -> None:
    assert render_errors(analyze_text(block.text)) == ""


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.info == "sql mistake"], ids=by_place)
def test_mistake_in_a_document_gets_the_text_below_it(block: Block) -> None:
    following = BLOCKS[BLOCKS.index(block) + 1]
    assert following.info == "text", f"{block.place} is followed by no text block"
    analysis = analyze_text(block.text)
    told = "\n\n".join(render_problem(problem, analysis.source) for problem in analysis.problems)
    assert told == following.text.rstrip("\n")


def test_blocks_of_sql_are_of_a_known_kind() -> None:
    kinds = {block.info for block in BLOCKS if block.info.startswith("sql")}
    assert kinds <= {"sql", "sql continued", "sql mistake"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_has_no_mistake(path: Path) -> None:
    analysis = analyze_text(path.read_text(encoding="utf-8"), path.name)
    assert render_errors(analysis) == ""
    assert analysis.sinks


def test_the_three_spellings_have_one_plan() -> None:
    plans = {name: _plan((ROOT / "examples" / name).read_text(encoding="utf-8")) for name in REFERENCES}
    assert len(set(plans.values())) == 1, plans


def test_the_readme_job_is_the_example() -> None:
    example = (ROOT / "examples" / "reference-flink.sql").read_text(encoding="utf-8")
    code = [line for line in example.splitlines() if not line.startswith("--")]
    assert readme_job().strip() == "\n".join(code).strip()


def test_the_readme_shows_the_plan_of_its_job() -> None:
    shown = next(block.text for block in README if "$ firesteel explain" in block.text)
    assert _plan(readme_job()) in shown


def readme_job() -> str:
    return next(block.text for block in README if block.info == "sql")


def _plan(text: str) -> str:
    return "\n\n".join(render_plan(sink) for sink in analyze_text(text).sinks)


# -- commands ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "words"), list(read_commands()), ids=by_place)
def test_command_line_of_a_document_parses(place: str, words: list[str]) -> None:
    modules = {name: module for name, module, _ in COMMANDS}
    assert words and words[0] in modules, f"{place} names no command"
    parser = CommandParser(prog="firesteel", allow_abbrev=False)
    subparsers = parser.add_subparsers(dest="command", required=True, parser_class=CommandParser)
    importlib.import_module(modules[words[0]]).add_parser(subparsers)
    parser.parse_args(words)


@pytest.mark.parametrize("document", DOCUMENTS, ids=by_path)
def test_commands_named_in_a_sentence_exist(document: Path) -> None:
    named = re.findall(r"`firesteel ([a-z]+)", document.read_text(encoding="utf-8"))
    assert set(named) <= {name for name, _, _ in COMMANDS}


@pytest.mark.parametrize("document", DOCUMENTS, ids=by_path)
def test_goals_of_make_exist(document: Path) -> None:
    goals = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = document.read_text(encoding="utf-8")
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)) <= goals


# -- links -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS, ids=by_path)
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        found = (document.parent / path).resolve() if path else document
        assert found.exists(), f"{document.name} links to '{target}', which does not exist"
        if anchor:
            assert anchor in _anchors(found), f"{document.name} links to '{target}', which has no such heading"


def _anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=by_path)
def test_modules_named_exist(document: Path) -> None:
    """`plan/function/table.py`, `tests/plan/case` and the like, wherever they stand in back-ticks."""
    rooms = "|".join(path.name for path in (ROOT / "src" / "firesteel").iterdir() if path.is_dir())
    named = re.findall(rf"`((?:{rooms}|tests|bench|examples)/[\w/.-]+)`", document.read_text(encoding="utf-8"))
    for name in named:
        assert (ROOT / "src" / "firesteel" / name).exists() or (ROOT / name).exists(), name


# -- lists -------------------------------------------------------------------------------------------------------------


def test_the_list_of_functions_is_complete() -> None:
    line = next(line for line in _supported_lines() if line.startswith("Functions: "))
    # Words that are operators have a row of their own in the table.
    assert set(re.findall(r"`(\w+)`", line)) == set(function_names())
    for readme in ("README.md", "README.zh.md"):
        assert re.search(rf"\*\*{len(function_names())} ", (ROOT / readme).read_text(encoding="utf-8")), readme


def test_the_lists_of_aggregates_and_formats_are_complete() -> None:
    def works(row: str) -> set[str]:
        cells = next(line for line in _supported_lines() if line.startswith(f"| {row} |")).split("|")
        return set(re.findall(r"`([^`]+)`", cells[2]))

    assert works("aggregates") == {*aggregate_names(), "DISTINCT", "FILTER"}
    assert works("formats") == {spec.name for spec in FORMATS}


def _supported_lines() -> list[str]:
    return (ROOT / "docs" / "supported.md").read_text(encoding="utf-8").splitlines()


def _order(title: str) -> list[list[str]]:
    """The names in each row of a table of ARCHITECTURE.md, from its top to its bottom."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition(f"| {title} | is |")[2].partition("\n\n")[0]
    return [re.findall(r"`([\w.]+)`", line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]


def test_rooms_import_only_rooms_above_them() -> None:
    """The order is that of the table in ARCHITECTURE.md."""
    height = {room: number for number, rooms in enumerate(_order("package")) for room in rooms}
    package = ROOT / "src" / "firesteel"
    present = {path.stem for path in package.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert present - {"__init__", "__pycache__"} == set(height)
    wrong = [
        f"{path.relative_to(package)} imports {room}"
        for path in package.rglob("*.py")
        if (own := path.relative_to(package).parts[0].removesuffix(".py")) in height
        for room in _imported_rooms(path)
        if height[room] > height[own]
    ]
    assert wrong == []


@pytest.mark.parametrize("room", ["plan", "spark"])
def test_packages_import_only_packages_above_them(room: str) -> None:
    """The order is that of the room's own table; its row `.` stands for the modules that lie in the package itself."""
    order = [name for row in _order(f"part of `{room}`") for name in row]
    package = ROOT / "src" / "firesteel" / room

    def part(first: str) -> str:
        return first if first in order else "."

    present = {path.name for path in package.iterdir() if (path / "__init__.py").is_file()}
    assert present <= set(order)
    wrong = [
        f"{path.relative_to(package)} imports {name}"
        for path in package.rglob("*.py")
        for name in _imported(path)
        if name[0] == room
        and order.index(part(name[1])) > order.index(part(path.relative_to(package).parts[0].removesuffix(".py")))
    ]
    assert wrong == []


def test_what_is_private_in_pyspark_stands_in_one_module() -> None:
    private = {"_jvm", "_jsq", "_jdf", "_jsc", "_gateway", "_jsparkSession", "_jc", "_active_spark_context"}
    package = ROOT / "src" / "firesteel"
    found = {
        f"{path.relative_to(package)}:{node.lineno}"
        for path in package.rglob("*.py")
        if path != package / "spark" / "internals.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in private
    }
    assert found == set()


def _imported_rooms(path: Path) -> Iterator[str]:
    return (room for room, _ in _imported(path))


def _imported(path: Path) -> Iterator[tuple[str, str]]:
    """The first two names behind `firesteel` of everything that is imported."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "firesteel" and len(parts) > 1:
                yield parts[1], parts[2] if len(parts) > 2 else ""


# -- the whole of it ---------------------------------------------------------------------------------------------------


@pytest.mark.spark
def test_the_readme_job_counts_and_goes_on_where_it_stopped(
    cluster: dict[str, str], spark: SparkSession, make_topic: Callable[..., str], tmp_path: Path
) -> None:
    from firesteel.dev.record import write_records

    views, counts = make_topic(partitions=4), make_topic(partitions=4)
    script = tmp_path / "job.sql"
    text = readme_job().replace("127.0.0.1:9092", cluster["bootstrap.servers"])
    text = text.replace("'topic' = 'pageviews'", f"'topic' = '{views}'")
    script.write_text(text.replace("'topic' = 'pageviews_per_region'", f"'topic' = '{counts}'"))
    lines = next(block.text for block in README if block.info == "json").encode().splitlines()

    for expected in ({"eu": (3, 2), "asia": (1, 1)}, {"eu": (6, 2), "asia": (2, 1)}):
        write_records(cluster, views, [(None, line) for line in lines])
        job = firesteel.start(script, spark=spark)
        try:
            assert job.resumed is (expected["eu"] == (6, 2))
            assert _await_counts(cluster, script, counts, expected) == expected
        finally:
            job.stop()


def _await_counts(
    cluster: dict[str, str], script: Path, topic: str, expected: dict[str, tuple[int, int]]
) -> dict[str, tuple[int, int]]:
    """The last count of each region, as soon as they are what is expected, or after a minute."""
    from firesteel.cli.topic_record import table_decoders
    from firesteel.dev.record import read_records

    decode = table_decoders(script, "pageviews_per_region")[1]
    deadline = time.monotonic() + 60
    while True:
        found: dict[str, tuple[int, int]] = {}
        for record in read_records(cluster, topic):
            assert record.value is not None
            row = decode(record.value)
            assert isinstance(row, dict)
            found[row["user_region"]] = (row["pv"], row["uv"])
        if found == expected or time.monotonic() > deadline:
            return found
        time.sleep(0.3)
