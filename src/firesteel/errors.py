"""Defines errors, who has to act on them, and problems with their positions in a script.

    FiresteelError
    ├── ScriptError      the script or its options are wrong; nothing was started   exit status 2
    ├── OutsideError     something outside is missing: Java, a broker, a topic      exit status 3
    │   └── BrokerAwayError   Kafka does not answer now, and will later
    └── JobError         the job failed while it was running                        exit status 1

Exit statuses and colours depend on `blame`, never on a class name. A mistake in a script is a `Problem`; one `ScriptError`
has all problems of a script.

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

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from enum import Enum

#: Characters that control a terminal or are not shown as they are: control characters, line and paragraph separators, and
#: marks of the direction of writing. Half of a surrogate pair cannot be encoded at all.
_UNSEEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_CONTROL = re.compile(f"[{_UNSEEN}]")
_CONTROL_OR_LAYOUT = re.compile(f"[{_UNSEEN}\t\n]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """Escapes control characters for a terminal, which values of users, scripts and records can contain.

    >>> print(printable("id: \x1b[2J\u202e"))
    id: \\x1b[2J\\u202e
    """
    return _CONTROL.sub(_escaped, text)


def one_line(text: str) -> str:
    """Escapes control characters and line breaks, for a text that has to stay one line.

    >>> print(one_line("id: a\\nERROR: all is lost"))
    id: a\\nERROR: all is lost
    """
    return _CONTROL_OR_LAYOUT.sub(_escaped, text)


def printable_json(text: str) -> str:
    """Escapes control characters in JSON as JSON does: only its strings can contain them."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _SHORT.get(found[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


class Blame(Enum):
    """The one who has to act. The value is the exit status."""

    JOB = 1
    USER = 2
    OUTSIDE = 3


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Span:
    """A range of a script's text: character offsets, end excluded."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """Returns the smallest span that contains both."""
        return Span(min(self.start, other.start), max(self.end, other.end))


#: The name of a script that is given as text.
TEXT_NAME = "script"


@dataclass(frozen=True, slots=True)
class Source:
    """A script's name, as shown to people, and its text."""

    name: str
    text: str

    def position(self, offset: int) -> tuple[int, int]:
        """Returns line and column of a character offset, both counted from 1."""
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
    #: Its position in the script, both counted from 1; None until `locate_problems` has the script's text.
    line: int | None = field(default=None, compare=False)
    column: int | None = field(default=None, compare=False)

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR


def locate_problems(problems: tuple[Problem, ...], source: Source) -> tuple[Problem, ...]:
    """Adds lines and columns to the problems.

    >>> [(one.line, one.column) for one in locate_problems((Problem("x.", Span(3, 4)), Problem("y.")), Source("a", "b\\n\\nc"))]
    [(3, 1), (None, None)]
    """
    starts = [0]
    while (end := source.text.find("\n", starts[-1])) >= 0:
        starts.append(end + 1)
    placed = []
    for problem in problems:
        if problem.span is None:
            placed.append(problem)
            continue
        offset = max(0, min(problem.span.start, len(source.text)))
        line = bisect_right(starts, offset)
        placed.append(replace(problem, line=line, column=offset - starts[line - 1] + 1))
    return tuple(placed)


class FiresteelError(Exception):
    """The root of every error that Firesteel raises on purpose."""

    blame = Blame.JOB

    def __init__(self, message: str, *, hint: str | None = None, laid_out: bool = False) -> None:
        """Keeps message and hint. `laid_out`: the line breaks of the message are meant; in any other they come from a value."""
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.laid_out = laid_out

    def __str__(self) -> str:
        text = f"{self.message} {self.hint}" if self.hint else self.message
        return printable(text) if self.laid_out else one_line(text)


class ScriptError(FiresteelError):
    """The script is wrong: every mistake found in it, at once, in file order."""

    blame = Blame.USER

    def __init__(self, problems: tuple[Problem, ...], source: Source | None = None) -> None:
        self.problems = problems
        self.source = source
        super().__init__("\n\n".join(render_problem(problem, source) for problem in problems), laid_out=True)


class UsageError(FiresteelError):
    """A command cannot do what it was asked for: an unreadable file, state of another plan."""

    blame = Blame.USER


class OutsideError(FiresteelError):
    """Something the job needs from outside is missing or does not answer."""

    blame = Blame.OUTSIDE


class BrokerAwayError(OutsideError):
    """Kafka does not answer now. A running job waits for it; a job that starts gives up."""


class JobError(FiresteelError):
    """The job failed while it was running."""

    blame = Blame.JOB


#: Lines longer than this are cut around the caret: a script can hold a megabyte in one line.
_MAX_LINE = 160


def render_problem(problem: Problem, source: Source | None) -> str:
    """Renders a problem for people: position, sentence, the line with a caret, the hint."""
    label = "warning: " if problem.severity is Severity.WARNING else ""
    message = f"{label}{one_line(problem.message)}"
    hint = f"\n    {one_line(problem.hint)}" if problem.hint else ""
    if source is None or problem.span is None:
        where = f"{one_line(source.name)}: " if source else ""
        return f"{where}{message}{hint}"
    line_number, column = source.position(problem.span.start)
    line = source.line(line_number)
    width = max(1, min(problem.span.end - problem.span.start, len(line) - column + 1))
    shown, shift = line, 0
    if len(line) > _MAX_LINE:
        shift = max(0, column - 1 - _MAX_LINE // 2)
        shown = line[shift : shift + _MAX_LINE]
        width = min(width, _MAX_LINE - (column - 1 - shift))
    before, marked = column - 1 - shift, column - 1 - shift + width
    # Tabs stay tabs under the line, so that the caret stands below what it means.
    indent = "".join("\t" if char == "\t" else " " for char in printable(shown[:before]))
    gutter = " " * len(str(line_number))
    return (
        f"{one_line(source.name)}:{line_number}:{column}: {message}\n"
        f"  {line_number} | {printable(shown)}\n"
        f"  {gutter} | {indent}{'^' * max(1, len(printable(shown[before:marked])))}{hint}"
    )
