"""Errors on their way from a Python worker, through the JVM, to the driver.

Spark hands on only the text of an exception. So an error of ours travels as JSON between two marks in that text.

>>> carried = CarriedError("Offset 7 is gone.", hint="Start over.", blame=Blame.JOB)
>>> str(find_failure(f"PythonException: Traceback … {carried} at org.apache.spark…"))
'Offset 7 is gone. Start over.'
>>> find_failure("java.lang.ArithmeticException") is None
True
>>> str(explain_failure(f"[DIVIDE_BY_ZERO] Division by zero.\\n=== Streaming Query ===\\nraise_error({carried})"))
'A division by zero.'
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors.exceptions.base import PySparkException

from firesteel.errors import Blame, BrokerAwayError, FiresteelError, JobError, OutsideError
from firesteel.spark.damage import explain_damage, shorten_damage
from firesteel.spark.worker import explain_worker
from firesteel.storage.folder import Folder

_OPEN, _CLOSE = "⟦firesteel:", "⟧"
_PATTERN = re.compile(re.escape(_OPEN) + "(.*?)" + re.escape(_CLOSE), re.DOTALL)


#: What Spark says when one of its Python processes did not begin in time, or has died: the one that asks for offsets is not
#: replaced, and one that runs tasks is only so often.
_LOST_PROCESS = (
    "Python worker failed to connect back",
    "Python worker exited unexpectedly",
    "Broken pipe",
    "java.io.EOFException",
    "Connection reset",
)


class CarriedText(Exception):
    """An error of ours that has been made text already."""


class CarriedError(CarriedText):
    def __init__(self, message: str, hint: str | None = None, blame: Blame = Blame.JOB, away: bool = False) -> None:
        payload = json.dumps({"message": message, "hint": hint, "blame": blame.name, "away": away})
        super().__init__(f"{_OPEN}{payload}{_CLOSE}")


def carry(error: FiresteelError) -> CarriedError:
    return CarriedError(error.message, error.hint, error.blame, isinstance(error, BrokerAwayError))


def short_failure(error: Exception) -> Exception:
    """Gives the same failure without the stacks of Java and Python in its text."""
    if isinstance(error, CarriedText):
        return error
    if isinstance(error, FiresteelError):
        return carry(error)
    text = describe(error)
    if has_lost_process(text):
        return CarriedText(_LOST_PROCESS[0])
    # Whose state it is, is known to who follows the query.
    damaged = shorten_damage(text)
    return carry(explain_failure(text)) if damaged is None else CarriedText(damaged)


def find_failure(text: str) -> FiresteelError | None:
    """Finds the error of ours that the text carries, if it carries one."""
    found = _PATTERN.search(text)
    if found is None:
        return None
    try:
        payload = json.loads(found.group(1))
    except json.JSONDecodeError:
        return None
    if payload["away"]:
        return BrokerAwayError(payload["message"], hint=payload["hint"])
    kind = OutsideError if payload["blame"] == Blame.OUTSIDE.name else JobError
    return kind(payload["message"], hint=payload["hint"])


def has_lost_process(text: str) -> bool:
    """Says whether a query failed because a Python process of Spark's was lost: another one may do.

    >>> has_lost_process("[STREAM_FAILED] Query [id = 7] terminated with exception: Broken pipe SQLSTATE: XXKST")
    True
    """
    head = text.partition("=== Streaming Query ===")[0]
    if find_failure(head) is not None or explain_damage(text) is not None:
        return False
    return any(sentence in head for sentence in _LOST_PROCESS)


#: The line of a Python traceback that says what was raised.
_PYTHON_ERROR = re.compile(r"^\s*(?:\w+\.)*\w+(?:Error|Exception): .+$", re.MULTILINE)

#: What Spark's own run-time errors mean, by a piece of their text.
_SPARK_ERRORS = (
    ("DIVIDE_BY_ZERO", "A division by zero."),
    ("REMAINDER_BY_ZERO", "A division by zero."),
    ("ARITHMETIC_OVERFLOW", "A number does not fit its type."),
    ("CAST_OVERFLOW", "A number does not fit the type it is cast to."),
    ("NUMERIC_VALUE_OUT_OF_RANGE", "A number does not fit its type."),
    ("CAST_INVALID_INPUT", "A text cannot be cast to the type asked for."),
)


def describe(error: BaseException) -> str:
    """Collects what is known of an error of Spark's: its text, and the stacks of the JVM behind it, which say more than some texts do."""
    parts: list[str] = []
    found: Any = error
    while isinstance(found, BaseException) and len(parts) < _MOST_CAUSES:
        parts += [str(found), str(getattr(found, "_stackTrace", None) or "")]
        found = getattr(found, "_cause", None)
    return "\n".join(parts)


_MOST_CAUSES = 20


@contextmanager
def explained() -> Iterator[None]:
    """Makes an error of ours of one of Spark's that is known. Another one is a mistake of our own, and stays what it is."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        text = describe(error)
        known = find_failure(text) or explain_damage(text) or explain_worker(text)
        if known is None:
            raise
        raise known from None


def explain_failure(text: str, state: Folder | None = None) -> FiresteelError:
    """Makes the error to show for a query that failed, whose state is in that folder."""
    whole = text
    # Behind it comes the plan, which holds the errors that it could raise.
    text = text.partition("=== Streaming Query ===")[0]
    found = find_failure(text)
    if found is not None:
        return found
    for mark, sentence in _SPARK_ERRORS:
        if mark in text:
            detail = re.search(r"\[" + mark + r"[^\]]*\]\s*([^\n]*?)(?:\s+SQLSTATE|\n|$)", text)
            said = _short(detail.group(1)) if detail else ""
            # Spark's own sentence only where it says more: which value, which type.
            return JobError(f"{sentence} {said}" if len(said) > len(sentence) else sentence)
    known = explain_damage(whole, state) or explain_worker(text)
    if known is not None:
        return known
    raised = _PYTHON_ERROR.findall(text)
    if raised:
        return JobError(f"Spark stopped the query: {_short(raised[-1])}")
    first = next((line for line in text.splitlines() if line.strip()), "Spark stopped the query")
    return JobError(f"Spark stopped the query: {_short(first)}")


def _short(line: str) -> str:
    line = line.strip()
    # Spark's advice names settings of its own that do not apply here.
    line = re.split(r"\s(?:Use [`'\"]?try_|If necessary set)", line)[0]
    return line if len(line) <= 300 else line[:297] + "..."
