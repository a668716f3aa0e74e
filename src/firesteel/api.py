"""What `import firesteel` gives: check a script, run it, start it. The command line is a thin layer over this.

A script is a path, or SQL text. No JVM is started by `check`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel.errors import Problem, Source, UsageError
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.python_function import allowed_modules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from firesteel.spark.job import Job

#: What `read_script` calls a script that is given as text.
TEXT_NAME = "script"


def read_script(script: str | Path) -> Source:
    """The script's text: that of the file, or the text itself, which has a statement in it and so a space and a line."""
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
    except OSError as error:
        raise UsageError(f"'{script}' cannot be read: {error.strerror or error}.") from None


def _is_text(script: str) -> bool:
    # No path of a script has a line break, and every statement but the shortest has a semicolon and a space.
    return "\n" in script or (";" in script and " " in script and not Path(script).suffix)


def check(
    script: str | Path, settings: Mapping[str, str] | None = None, python_functions: Iterable[str] = ()
) -> tuple[Problem, ...]:
    """Every mistake in the script, and every warning, in the order of the script. Never raises for a mistake in it.

    `python_functions` are the modules whose functions CREATE FUNCTION may use; the script cannot allow them itself.
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
    fresh: bool = False,
    master: str | None = None,
    spark: SparkSession | None = None,
    python_functions: Iterable[str] = (),
) -> Job:
    """Starts the job and returns at once. `settings` count as if the script SET them; `spark` is a session to run on."""
    analysis = analyze_script(script, settings, python_functions)
    return start_analyzed(analysis, name=name, fresh=fresh, master=master, spark=spark)


def start_analyzed(
    analysis: Analysis,
    *,
    name: str | None = None,
    fresh: bool = False,
    master: str | None = None,
    spark: SparkSession | None = None,
) -> Job:
    """Starts the job of a script that has been analysed already."""
    job = prepare_job(analysis, name=name, fresh=fresh, master=master, spark=spark)
    job.begin()
    return job


def prepare_job(
    analysis: Analysis,
    *,
    name: str | None = None,
    fresh: bool = False,
    master: str | None = None,
    spark: SparkSession | None = None,
) -> Job:
    """The job of a script, which is yet to begin. Spark's JVM is on its way already."""
    from firesteel.spark.launch import launch
    from firesteel.spark.place import job_name, log_file, spark_settings, state_folder
    from firesteel.spark.version import check_pyspark

    analysis.raise_errors()
    check_pyspark()
    folder = _folder(analysis.source)
    launched = None
    if spark is None and analysis.sinks:
        log = log_file(state_folder(analysis, folder, job_name(analysis, name)))
        launched = launch(master, spark_settings(analysis), log)
    try:
        # The JVM starts while this is loaded.
        from firesteel.spark.job import Job

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


def run(script: str | Path, **options: Any) -> Job:
    """Starts the job and waits for its end: a bounded job ends by itself, another when it is stopped or fails."""
    job = start(script, **options)
    try:
        job.wait()
    except BaseException:
        job.stop()
        raise
    return job
