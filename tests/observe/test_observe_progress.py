from __future__ import annotations

from firesteel.observe.progress import Progress, SourceProgress, apply
from firesteel.observe.snapshot import JobSnapshot, State


def batch(number: int, end: float, rows: int, lag: int | None = None, query: str = "q") -> Progress:
    return Progress(query, number, 500, end, {"views": SourceProgress(rows, lag)}, {"counts": 2})


def test_rows_add_up_and_lag_is_the_last_known() -> None:
    job = JobSnapshot("job", started=100.0)
    for progress in (batch(0, 101.0, 100, 50), batch(1, 102.0, 40, 10), batch(2, 103.0, 5)):
        job = apply(job, progress)
    assert (job.rows_read, job.rows_written, job.lag, job.batches, job.batch_id) == (145, 6, 10, 3, 2)
    assert job.state is State.RUNNING and job.seconds == 3.0


def test_the_rate_is_that_of_the_last_ten_seconds() -> None:
    job = apply(JobSnapshot("job"), batch(0, 100.5, 1000))
    assert job.rows_per_second == 2000.0
    job = apply(job, batch(1, 104.5, 1000))
    assert job.rows_per_second == 2000 / 4.5
    job = apply(job, batch(2, 120.0, 0))
    assert job.rows_per_second == 0.0


def test_rejects_are_counted_per_table_and_reason() -> None:
    job = JobSnapshot("job")
    for rejects in (
        {("views", "malformed"): 2, ("other", "malformed"): 1},
        {("views", "malformed"): 1, ("views", "x"): 0},
    ):
        job = apply(job, Progress("q", 0, 1, 1.0, {"views": SourceProgress(1)}, {}, rejects))
    assert [(source.table, dict(source.rejects)) for source in job.sources] == [
        ("views", {"malformed": 3}),
        ("other", {"malformed": 1}),
    ]
    assert job.rejects == 4


def test_two_queries_over_one_table_are_told_apart() -> None:
    job = apply(apply(JobSnapshot("job"), batch(0, 1.0, 10, 5, "a")), batch(0, 1.0, 7, 3, "b"))
    assert [(source.query, source.rows) for source in job.sources] == [("a", 10), ("b", 7)]
    assert job.lag == 8


def test_a_job_that_is_stopping_stays_so() -> None:
    job = apply(JobSnapshot("job", State.STOPPING), batch(0, 1.0, 1))
    assert job.state is State.STOPPING
    assert JobSnapshot("job").lag is None and State.FAILED.is_over and not State.STOPPING.is_over
