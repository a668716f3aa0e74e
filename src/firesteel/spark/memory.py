"""Divides the memory that a script gives its state: RocksDB in the JVM gets a part, the tasks of the state engine share the rest.

>>> _settings(512 << 20, 2)[TASK_MEMORY]
'201326592'
"""

from __future__ import annotations

from pyspark.sql import SparkSession

from firesteel.options.setting import MANAGED_MEMORY_SIZE
from firesteel.plan.analyze import Analysis
from firesteel.plan.fact.keyed import uses_engine
from firesteel.spark.internals import executors

#: What `taskmanager.memory.managed.size` is, where it is not set: right for a machine of 4 GB.
_DEFAULT = 512 << 20
_ROCKSDB_PART = 4
_ROCKSDB = "spark.sql.streaming.stateStore.rocksdb."
#: A setting of a job's session: how many bytes a task of the state engine may take for its work.
TASK_MEMORY = "spark.firesteel.task.memory"


def memory_settings(analysis: Analysis, session: SparkSession) -> dict[str, str]:
    """Makes the settings of a job's session; none for a job that says nothing and keeps nothing on the engine."""
    managed = analysis.setting(MANAGED_MEMORY_SIZE)
    if managed is None and not any(map(uses_engine, analysis.sinks)):
        return {}
    return _settings(managed or _DEFAULT, _slots(session))


def _settings(size: int, slots: int) -> dict[str, str]:
    rocksdb = size // _ROCKSDB_PART
    return {
        # All stores of a process share one cache, and one limit for what is not in files yet.
        f"{_ROCKSDB}boundedMemoryUsage": "true",
        f"{_ROCKSDB}maxMemoryUsageMB": str(rocksdb >> 20),
        TASK_MEMORY: str((size - rocksdb) // slots),
    }


def task_memory(session: SparkSession) -> int:
    """Tells how many bytes a task may take, in a job's session or in another one."""
    return int(session.conf.get(TASK_MEMORY, None) or _settings(_DEFAULT, _slots(session))[TASK_MEMORY])


def _slots(session: SparkSession) -> int:
    """Counts how many tasks run at a time in one of Spark's processes. On a cluster the driver is one, and runs none."""
    return max(1, -(-session.sparkContext.defaultParallelism // max(1, executors(session) - 1)))
