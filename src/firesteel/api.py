"""The functions of `import firesteel`: check, run and start a script. The command line is a thin layer over them.

A script is a path or SQL text. `check` starts no JVM.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.errors import TEXT_NAME, Problem, Source, UsageError
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.function.python import allowed_modules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from firesteel.spark.job.checkpoint import Fresh
    from firesteel.spark.job.job import Job

#: The first words of a script's text, which distinguish it from the name of a file.
_FIRST_WORDS = re.compile(
    r"\s*(?:--|/\*|(?:CREATE|INSERT|SELECT|WITH|VALUES|EXECUTE|EXPLAIN|SET|RESET|DROP|SHOW|DESCRIBE|DESC|USE|BEGIN)\s)",
    re.IGNORECASE,
)


def read_script(script: str | Path) -> Source:
    """Reads a script from a file; a text that is SQL is the script itself."""
    if isinstance(script, str) and _is_text(script):
        return Source(TEXT_NAME, script)
    path = Path(script)
    try:
        return Source(str(script), path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise UsageError(f"There is no file '{script}'.", hint="Check the path.") from None
    except IsADirectoryError:
        raise UsageError(f"'{script}' is a folder, not a script.", hint="Name a file in it.") from None
    except UnicodeDecodeError:
        raise UsageError(f"'{script}' is not UTF-8 text.", hint="Save it as UTF-8.") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"'{script}' cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _is_text(script: str) -> bool:
    """Says whether the text is SQL: it has a line break, or names no file and has a semicolon or begins like a statement."""
    if "\n" in script:
        return True
    if ";" not in script and (script.endswith(".sql") or not _FIRST_WORDS.match(script)):
        return False
    try:
        return not Path(script).exists()
    except (OSError, ValueError):
        # No file can have such a name.
        return True


def check(
    script: str | Path, settings: Mapping[str, str] | None = None, python_functions: Iterable[str] = ()
) -> tuple[Problem, ...]:
    """Returns all mistakes and warnings in the order of the script. A mistake in the script never raises an exception.

    `python_functions` names the modules that CREATE FUNCTION may use; the script cannot allow them itself.
    """
    return analyze_script(script, settings, python_functions).problems


def analyze_script(
    script: str | Path, settings: Mapping[str, str] | None = None, python_functions: Iterable[str] = ()
) -> Analysis:
    source = read_script(script)
    return analyze(source, settings or {}, allowed_modules(python_functions, _folder(source)))


def _folder(source: Source) -> Path:
    return Path.cwd() if source.name == TEXT_NAME else Path(source.name).resolve().parent


def start(
    script: str | Path,
    *,
    settings: Mapping[str, str] | None = None,
    name: str | None = None,
    fresh: Fresh = False,
    master: str | None = None,
    spark: SparkSession | None = None,
    python_functions: Iterable[str] = (),
) -> Job:
    """Starts the job and returns at once. `settings` count as SETs of the script; `spark` is a session to run on. `fresh`: the job forgets its
    state and its progress; "state": it forgets its state, and reads on from where it stopped.

    A job of SQL text without a `name` (or 'pipeline.name') is named after its plan: the same text continues where it
    stopped, and changed text is a new job.
    """
    analysis = analyze_script(script, settings, python_functions)
    return start_analyzed(analysis, name=name, fresh=fresh, master=master, spark=spark)


def start_analyzed(
    analysis: Analysis,
    *,
    name: str | None = None,
    fresh: Fresh = False,
    master: str | None = None,
    spark: SparkSession | None = None,
) -> Job:
    """Starts the job of a script that is analysed already, and returns at once."""
    job = prepare_job(analysis, name=name, fresh=fresh, master=master, spark=spark)
    job.begin()
    return job


def prepare_job(
    analysis: Analysis,
    *,
    name: str | None = None,
    fresh: Fresh = False,
    master: str | None = None,
    spark: SparkSession | None = None,
) -> Job:
    """Makes the job of a script without beginning it. Spark's JVM starts meanwhile."""
    from firesteel.spark.place import job_name, log_file, spark_settings, state_folder
    from firesteel.spark.start.fast import prepare
    from firesteel.spark.start.version import check_pyspark

    analysis.raise_errors()
    check_pyspark()
    folder = _folder(analysis.source)
    launched = None
    if spark is None and analysis.sinks:
        log = log_file(state_folder(analysis, folder, job_name(analysis, name)))
        launched = prepare(master, spark_settings(analysis), log)
    try:
        # The JVM starts while this is loaded.
        from firesteel.spark.job.job import Job

        return Job(
            analysis,
            name=name,
            folder=folder,
            fresh=fresh,
            master=master,
            session=spark,
            launched=launched,
        )
    except BaseException:
        if launched is not None:
            launched.abandon()
        raise


def run(
    script: str | Path,
    *,
    settings: Mapping[str, str] | None = None,
    name: str | None = None,
    fresh: Fresh = False,
    master: str | None = None,
    spark: SparkSession | None = None,
    python_functions: Iterable[str] = (),
) -> Job:
    """Starts the job and waits for its end. A bounded job ends by itself, an unbounded one when it is stopped or fails.

    The arguments are those of `start`.
    """
    job = start(
        script,
        settings=settings,
        name=name,
        fresh=fresh,
        master=master,
        spark=spark,
        python_functions=python_functions,
    )
    try:
        job.wait()
    except BaseException:
        job.stop()
        raise
    return job
