"""Mutates every valid script of the tests, the examples and the documents, and looks at all that is said about them.

    python -m tests.fuzz.scripts --rounds 20000 --seed 1

Whatever the script: no exception, no control character and no forged line in a text, every sentence with its full stop.
A failure is printed with its round, which `--only ROUND` repeats.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import firesteel
from firesteel.api import analyze_script
from firesteel.cli.main import main as run_command
from firesteel.errors import one_line, printable_json, render_problem
from firesteel.plan.show.explain import explanation_document, render_explanation
from firesteel.sql.token import Kind, tokenize

ROOT = Path(__file__).parents[2]
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
#: What can stand anywhere, and seldom does.
SIGNS = (
    *(
        "'",
        '"',
        "`",
        "(",
        ")",
        "/*",
        "*/",
        "/*+",
        "--",
        "[",
        "]",
        "{",
        "}",
        "''",
        "\\",
        ";",
        ",",
        ".",
        "<",
        ">",
        "=",
        "*",
    ),
    *(
        "\x00",
        "\x1b[2J",
        "\x07",
        "\r",
        "\x7f",
        "\x9b31m",
        "\u2028",
        "\u202e",
        "\ufeff",
        "\n\nERROR: lost\n",
        "\t",
        "é",
        "😀",
        "日",
    ),
    *(
        "1",
        "-1",
        "0.5",
        "1e400",
        "NULL",
        "TRUE",
        "INTERVAL '1' DAY",
        "ROW(1)",
        "ARRAY[1]",
        "CAST(",
        "CASE",
        "SELECT",
        "WITH",
    ),
)
_FENCE = re.compile(r"^```sql[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def valid_scripts() -> list[str]:
    """Scripts of the tests, the examples and the documents; the prelude of the plan cases stands before each of them."""
    sys.path.insert(0, str(ROOT))
    from tests.plan.test_plan_case import PRELUDE

    found = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob("*.sql"))]
    found += [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/sql/valid").glob("*.sql"))]
    found += [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/catalog/mistakes").glob("*.sql"))]
    for path in sorted((ROOT / "tests/plan/case").rglob("*.case")):
        found.append(PRELUDE + path.read_text(encoding="utf-8").partition("\n-----\n")[0])
    for path in sorted((ROOT / "tests/conformance/cases").glob("*/job.sql")):
        sql = path.read_text(encoding="utf-8").replace("${bootstrap}", "b:9092")
        found.append(re.sub(r"\$\{[^}]*?([\w-]+)\}", r"\1", sql))
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        found += _FENCE.findall(path.read_text(encoding="utf-8"))
    return list(dict.fromkeys(found))


def pieces(script: str) -> list[str]:
    """The script cut at its tokens: joined they are the script again."""
    tokens, _ = tokenize(script)
    starts = [token.start for token in tokens if token.kind is not Kind.END]
    return [script[start:end] for start, end in zip([0, *starts], [*starts, len(script)], strict=True)]


def _kind(piece: str) -> str:
    first = piece[:1]
    return "word" if first.isalpha() else "number" if first.isdigit() else first


class Mutator:
    def __init__(self, scripts: list[str]) -> None:
        self._scripts = [pieces(script) for script in scripts]
        self._all = sorted({piece for script in self._scripts for piece in script})
        self._alike: dict[str, list[str]] = {}
        for piece in self._all:
            self._alike.setdefault(_kind(piece), []).append(piece)

    def mutate(self, chance: random.Random) -> str:
        """By whole tokens, and then sometimes by single characters."""
        found = list(chance.choice(self._scripts))
        for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
            at = chance.randrange(len(found))
            match chance.randrange(12):
                case 0 if len(found) > 1:
                    del found[at]
                case 1:
                    found.insert(at, found[at])
                case 2:
                    other = chance.randrange(len(found))
                    found[at], found[other] = found[other], found[at]
                case 3:
                    found[at] = chance.choice(self._all)
                case 4:
                    found[at] += chance.choice(SIGNS)
                case 5:
                    size = chance.randint(1, 30)
                    found[at:at] = chance.choice(self._scripts)[:size]
                case 6:
                    found[at] = found[at][: chance.randint(0, len(found[at]))]
                case 7 if found[at].startswith("'"):
                    found[at] = f"'{chance.choice(SIGNS)}{found[at][1:]}"
                case _:
                    # Another of its kind, with which the script may well be right.
                    found[at] = chance.choice(self._alike[_kind(found[at])])
        script = "".join(found)
        for _ in range(chance.choice((0, 0, 0, 0, 1, 3))):
            at = chance.randint(0, len(script))
            match chance.randrange(3):
                case 0:
                    script = script[:at] + script[at + chance.randint(1, 4) :]
                case 1:
                    script = script[:at] + chance.choice(SIGNS) + script[at:]
                case _:
                    script = (
                        script[:at]
                        + chr(chance.choice((chance.randrange(32, 127), chance.randrange(0x3000))))
                        + script[at + 1 :]
                    )
        return script


def texts_about(script: str, counts: Counter[str]) -> Iterator[str]:
    """Everything that is printed about a script, one text after the other."""
    problems = firesteel.check(f"{script}\n")
    analysis = analyze_script(f"{script}\n")
    assert problems == analysis.problems, "check does not say the same twice"
    counts["with mistakes" if analysis.errors else "without mistakes"] += 1
    counts["problems"] += len(problems)
    for problem in problems:
        assert problem.message.endswith(".") and len(problem.message) < 1000, problem
        assert problem.span is None or 0 <= problem.span.start <= problem.span.end <= len(script) + 1, problem
        assert (problem.line is None) == (problem.span is None), problem
        yield render_problem(problem, analysis.source)
        yield render_problem(problem, None)
    try:
        analysis.raise_errors()
    except firesteel.ScriptError as error:
        yield str(error)
    else:
        for sink in analysis.sinks:
            yield render_explanation(sink)
            yield printable_json(json.dumps(explanation_document(sink), ensure_ascii=False))


def look_at(script: str, counts: Counter[str]) -> None:
    started = time.process_time()
    for text in texts_about(script, counts):
        assert not RAW.search(text), f"a control character in {text!r}"
        assert "\nERROR" not in text, f"a forged line in {text!r}"
    assert time.process_time() - started < 10, "more than ten seconds"


def look_at_commands(script: str) -> None:
    """The same through the command line, whose status is 0 or 2."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.sql"
        path.write_bytes(script.encode("utf-8", "surrogatepass"))
        for words in (["check"], ["check", "--format", "json"], ["check", "--format", "sarif"], ["explain"]):
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                status = run_command([words[0], str(path), *words[1:]])
            assert status in (0, 2), f"{words}: status {status}: {out.getvalue()[:500]}"
            assert not RAW.search(out.getvalue()), f"{words}: a control character in {out.getvalue()[:2000]!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this round alone")
    parser.add_argument("--commands", type=int, default=40, help="every so many rounds the command line is tried too")
    args = parser.parse_args()
    mutator, counts, failed = Mutator(valid_scripts()), Counter[str](), 0
    began = time.monotonic()
    for number in range(args.rounds) if args.only is None else (args.only,):
        script = mutator.mutate(random.Random(f"{args.seed}/{number}"))
        try:
            look_at(script, counts)
            if number % args.commands == 0 or args.only is not None:
                look_at_commands(script)
        except Exception as error:
            failed += 1
            print(f"round {number}: {one_line(repr(error))[:1500]}", flush=True)
            if args.only is not None:
                traceback.print_exc()
                print(one_line(script))
    print(
        f"{args.rounds if args.only is None else 1} scripts, seed {args.seed}: {counts['with mistakes']} with mistakes,"
        f" {counts['without mistakes']} without, {counts['problems']} problems told, {failed} failures,"
        f" {time.monotonic() - began:.0f} s."
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
