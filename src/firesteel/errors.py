"""What can go wrong, who is to blame, and where.

    FiresteelError
    ├── ScriptError      the script or its options are wrong; nothing was started   exit status 2
    ├── OutsideError     something outside is missing: Java, a broker, a topic      exit status 3
    │   └── BrokerAwayError   Kafka does not answer now, and will later
    └── JobError         the job failed while it was running                        exit status 1

Exit statuses and colours read `blame`, never a class name. A mistake in a script is a `Problem`; all problems of a
script travel together in one `ScriptError`.

>>> source = Source("job.sql", "SELECT 1;\\nSELEC 2;")
>>> source.position(10)
(2, 1)
>>> print(render_problem(Problem("'SELEC' is not a statement.", Span(10, 15), hint="Write SELECT."), source))
job.sql:2:1: 'SELEC' is not a statement.
  2 | SELEC 2;
    | ^^^^^
    Write SELECT.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Blame(Enum):
    """Who has to act. The value is the exit status."""

    JOB = 1
    USER = 2
    OUTSIDE = 3


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a script's text: character offsets, end excluded."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The stretch from the start of this one to the end of the other."""
        return Span(min(self.start, other.start), max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Source:
    """A script's name, as shown to people, and its text."""

    name: str
    text: str

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset, both counted from 1."""
        offset = max(0, min(offset, len(self.text)))
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - (self.text.rfind("\n", 0, offset) + 1) + 1

    def line(self, number: int) -> str:
        lines = self.text.split("\n")
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake (or one piece of advice) about a script.

    `message` says what the user wrote, in single quotes, and what is wrong with it; `hint` says what to do.
    """

    message: str
    span: Span | None = None
    hint: str | None = None
    severity: Severity = Severity.ERROR

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR


class FiresteelError(Exception):
    """The root of every error Firesteel raises on purpose."""

    blame = Blame.JOB

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class ScriptError(FiresteelError):
    """The script is wrong: every mistake found in it, at once, in file order."""

    blame = Blame.USER

    def __init__(self, problems: tuple[Problem, ...], source: Source | None = None) -> None:
        self.problems = problems
        self.source = source
        super().__init__("\n\n".join(render_problem(problem, source) for problem in problems))


class UsageError(FiresteelError):
    """A command was called in a way it cannot serve: an unreadable file, state of another plan."""

    blame = Blame.USER


class OutsideError(FiresteelError):
    """Something the job needs from outside is missing or does not answer."""

    blame = Blame.OUTSIDE


class BrokerAwayError(OutsideError):
    """Kafka does not answer now. A job that runs waits for it; only one that starts gives up."""


class JobError(FiresteelError):
    """The job failed while it was running."""

    blame = Blame.JOB


#: Lines longer than this are cut around the caret: a script can hold a megabyte in one line.
_MAX_LINE = 160


def render_problem(problem: Problem, source: Source | None) -> str:
    """The problem as people read it: position, sentence, the line with a caret, the hint."""
    label = "warning: " if problem.severity is Severity.WARNING else ""
    if source is None or problem.span is None:
        where = f"{source.name}: " if source else ""
        return f"{where}{label}{problem.message}" + (f"\n    {problem.hint}" if problem.hint else "")
    line_number, column = source.position(problem.span.start)
    line = source.line(line_number)
    width = max(1, min(problem.span.end - problem.span.start, len(line) - column + 1))
    shown, shift = line, 0
    if len(line) > _MAX_LINE:
        shift = max(0, column - 1 - _MAX_LINE // 2)
        shown = line[shift : shift + _MAX_LINE]
        width = min(width, _MAX_LINE - (column - 1 - shift))
    # Tabs stay tabs under the line, so that the caret stands below what it means.
    indent = "".join("\t" if char == "\t" else " " for char in shown[: column - 1 - shift])
    gutter = " " * len(str(line_number))
    text = (
        f"{source.name}:{line_number}:{column}: {label}{problem.message}\n"
        f"  {line_number} | {shown}\n"
        f"  {gutter} | {indent}{'^' * max(1, width)}"
    )
    return f"{text}\n    {problem.hint}" if problem.hint else text
