"""Everything that is private in PySpark and py4j and is used all the same: one function each. Tried on PySpark 4.2.1 and 4.3.0.

Nothing else in Firesteel says `_jvm`, `_jsq`, `_jdf`, `_jsc` or `_gateway`; a test holds that. Where PySpark has a public way that
is as good it is used, and not here.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.classic.column import Column as ClassicColumn
from pyspark.sql.streaming.query import StreamingQuery

# -- the JVM -------------------------------------------------------------------------------------------------------------


def jvm_of(session: SparkSession) -> Any:
    """Gives Java's packages, as py4j shows them."""
    return session.sparkContext._jvm


def active_jvm() -> Any:
    """Gives the JVM where no session is at hand: expressions are made while one is active."""
    context = SparkContext._active_spark_context
    assert context is not None
    return context._jvm


def has_gateway() -> bool:
    """Says whether PySpark has a JVM already."""
    return find_gateway() is not None


def find_gateway() -> Any:
    """Gives PySpark's connection to its JVM; None while it has none."""
    return SparkContext._gateway


def use_gateway(gateway: Any) -> None:
    """Makes a connection to a JVM PySpark's own."""
    SparkContext._ensure_initialized(gateway=gateway)


def launch_gateway(start: Callable[..., subprocess.Popen[bytes]]) -> Any:
    """Runs PySpark's own start of a JVM, with another way to start the process: PySpark decides itself on the signals it ignores."""
    from pyspark import java_gateway

    gateways: Any = java_gateway
    before, gateways.Popen = gateways.Popen, start
    try:
        return gateways.launch_gateway()
    finally:
        gateways.Popen = before


def silence_accumulators(session: SparkSession) -> None:
    """Keeps Python's server of accumulators from printing a traceback when the JVM ends, which is reported in a sentence."""
    server: Any = session.sparkContext._accumulatorServer
    server.handle_error = lambda *_: None


def write_no_checksums(session: SparkSession) -> None:
    """Files of checkpoints without a second one for a checksum, which a crash could leave behind for other content."""
    context: Any = session.sparkContext
    context._jvm.org.apache.hadoop.fs.FileSystem.getLocal(context._jsc.hadoopConfiguration()).setWriteChecksum(False)


def look_for_no_sources(session: SparkSession) -> None:
    """Spark would start a Python process of its own to look for installed data sources. Ours are registered by hand."""
    jvm = jvm_of(session)
    none = jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(jvm.java.util.HashMap())
    manager = getattr(getattr(jvm.org.apache.spark.sql.execution.datasources, "DataSourceManager$"), "MODULE$")
    getattr(manager, "dataSourceBuilders_$eq")(jvm.scala.Option.apply(none))


def executors(session: SparkSession) -> int:
    """Counts how many processes of the cluster work for the session, the driver among them."""
    context: Any = session.sparkContext
    return int(context._jsc.sc().getExecutorMemoryStatus().size())


@contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Makes the session the one whose settings Spark reads in this thread: some of its checks look nowhere else."""
    sessions = getattr(session._jvm, "org.apache.spark.sql.classic.SparkSession")
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


# -- queries -------------------------------------------------------------------------------------------------------------


def last_batch(query: StreamingQuery) -> int | None:
    """Gives the number of the batch that was reported last; PySpark would parse the whole report for it."""
    last = query._jsq.lastProgress()
    return None if last is None else int(last.batchId())


def reports_since(query: StreamingQuery, batch: int) -> list[dict[str, Any]]:
    """Gives Spark's reports of the batches after this one."""
    return [json.loads(report.json()) for report in query._jsq.recentProgress() if report.batchId() > batch]


def status_of(query: StreamingQuery) -> str:
    """Gives what Spark says the query is doing."""
    return str(query._jsq.status().message())


def observed_in_running_batch(query: StreamingQuery) -> Any:
    """Gives the metrics observed in the batch that runs: Spark's report of it comes when the next one is planned already."""
    return query._jsq.streamingQuery().lastExecution().observedMetrics()


def plan_of_last_batch(query: StreamingQuery) -> str:
    return str(query._jsq.explainInternal(False))


# -- rows ----------------------------------------------------------------------------------------------------------------


def tasks_of(rows: DataFrame) -> int:
    """Counts the tasks that give the rows."""
    return int(rows._jdf.queryExecution().toRdd().getNumPartitions())


def collect_rows(rows: DataFrame) -> list[Any]:
    """Collects Spark's own rows, as they are: `DataFrame.collect` would plan them once more."""
    return list(rows._jdf.queryExecution().toRdd().collect())


def convert_time(value: Column, given: str, wanted: str) -> Column:
    """Gives the same number under another type, which no function of Spark's says. Spark's own `window` is made with this expression;
    differences and sums of times cost a row five times as much.
    """
    jvm = active_jvm()
    types, expressions = jvm.org.apache.spark.sql.types.DataTypes, jvm.org.apache.spark.sql.classic.ExpressionUtils
    convert = jvm.org.apache.spark.sql.catalyst.expressions.PreciseTimestampConversion
    child = expressions.expression(value._jc)
    return ClassicColumn(expressions.column(convert(child, getattr(types, given), getattr(types, wanted))))


# -- the state of a stopped query ------------------------------------------------------------------------------------------


def rewrite_state(
    session: SparkSession, location: str, batches: tuple[int, int], change: Callable[[DataFrame], DataFrame]
) -> dict[str, Any] | None:
    """Writes the state that the first batch has left, changed, as that of the second one, whose plan has to be there already.

    `change` gets the rows of each store of each operator, with keys and values as bytes; its tasks are the store's new partitions. Gives the
    names of what was written, by operator, task and store, where the checkpoint's format has any.
    """
    jvm = jvm_of(session)
    none = jvm.scala.Option.empty()
    failures: list[Exception] = []

    class Changed:
        """Java calls it, and says little of what it raises."""

        def apply(self, rows: Any) -> Any:
            try:
                return change(DataFrame(rows, session))._jdf
            except Exception as error:
                failures.append(error)
                raise

        class Java:
            implements: ClassVar = ["scala.Function1"]

    java_session: Any = session._jsparkSession
    with active(session):
        rewriter = jvm.org.apache.spark.sql.execution.streaming.state.StateRewriter(
            java_session,
            *batches,
            location,
            java_session.sessionState().newHadoopConf(),
            none,
            jvm.scala.Option.apply(Changed()),
            none,
        )
        try:
            written = rewriter.run()
        except Py4JError:
            if failures:
                raise failures[0] from None
            raise
    if written.isEmpty():
        return None
    names: dict[str, Any] = {}
    found = written.get().iterator()
    while found.hasNext():
        entry = found.next()
        names[str(entry._1())] = [list(stores) for stores in entry._2()]
    return names
