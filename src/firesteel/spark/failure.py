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

from firesteel.errors import Blame, FiresteelError, JobError, OutsideError
from firesteel.spark.cluster import explain_worker

_OPEN, _CLOSE = "⟦firesteel:", "⟧"
_PATTERN = re.compile(re.escape(_OPEN) + "(.*?)" + re.escape(_CLOSE), re.DOTALL)


class CarriedError(Exception):
    def __init__(self, message: str, hint: str | None = None, blame: Blame = Blame.JOB) -> None:
        payload = json.dumps({"message": message, "hint": hint, "blame": blame.name})
        super().__init__(f"{_OPEN}{payload}{_CLOSE}")


def carry(error: FiresteelError) -> CarriedError:
    return CarriedError(error.message, error.hint, error.blame)


def find_failure(text: str) -> FiresteelError | None:
    """The error of ours that the text carries, if it carries one."""
    found = _PATTERN.search(text)
    if found is None:
        return None
    try:
        payload = json.loads(found.group(1))
    except json.JSONDecodeError:
        return None
    kind = OutsideError if payload["blame"] == Blame.OUTSIDE.name else JobError
    return kind(payload["message"], hint=payload["hint"])


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


def explain_failure(text: str) -> FiresteelError:
    """The error to show for a query that failed."""
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
    worker = explain_worker(text)
    if worker is not None:
        return worker
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
