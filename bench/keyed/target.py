"""Says what the state engine is to reach, and whether it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import quantiles

from bench.keyed.batch import Batches
from bench.keyed.measure import Figures

_OWN, _HASH_MAP, _ROCKSDB = "firesteel", "flink-tuned", "flink-rocksdb"
_GIGABYTE = 1e9


@dataclass(frozen=True)
class Ratio:
    """How many times the rows per second of another engine are to be reached at least, or how many times its CPU at most."""

    workload: str
    engine: str
    speed: float | None = None
    cpu: float | None = None


RATIOS = (
    Ratio("aggregate", _HASH_MAP, 4, 0.25),
    Ratio("aggregate", _ROCKSDB, 6),
    Ratio("join", _HASH_MAP, 3, 0.3),
    Ratio("join", _ROCKSDB, 4),
    Ratio("top", _HASH_MAP, 2.5),
    Ratio("debezium", _HASH_MAP, 2.5),
    Ratio("debezium", _ROCKSDB, 2.5),
    Ratio("changelog", _HASH_MAP, 2.5),
    Ratio("changelog", _ROCKSDB, 2.5),
)
_MOST_USERS = 2.5
_USERS_GROWTH, _KEYS_GROWTH = 2.3, 1.5
_MEDIAN, _SLOWEST = 0.1, 0.5
_MEMORY = 3.0


@dataclass(frozen=True)
class Outcome:
    """A target and what was measured."""

    workload: str
    target: str
    measured: str
    is_met: bool


def outcomes(found: Sequence[Figures], batches: Batches | None) -> Iterator[Outcome]:
    """Compares what was measured with the targets; of what was not measured nothing is said."""
    right = [one for one in found if not one.problem]
    for ratio in RATIOS:
        pair = [_find(right, ratio.workload, name) for name in (_OWN, ratio.engine)]
        if pair[0] and pair[1]:
            yield from _compare(ratio, pair[0], pair[1])
    yield from _of_users(right)
    yield from _of_keys(right)
    if batches and not batches.problem and batches.stateful and batches.stateless:
        for title, place, most in (("p50", 49, _MEDIAN), ("p99", 98, _SLOWEST)):
            own, other = (quantiles(seconds, n=100)[place] for seconds in (batches.stateful, batches.stateless))
            yield Outcome(
                f"batches of {batches.rows}, {batches.keys:,} keys",
                f"{title} ≤ {most} s above a job without state",
                f"{own - other:+.3f} s ({own:.3f} s, {other:.3f} s)",
                own - other <= most,
            )


def _compare(ratio: Ratio, own: Figures, other: Figures) -> Iterator[Outcome]:
    if ratio.speed:
        times = own.rows_per_second / other.rows_per_second
        target = f"≥ {ratio.speed} × rows/s of {ratio.engine}"
        yield Outcome(ratio.workload, target, f"{times:.2f} ×", times >= ratio.speed)
    if ratio.cpu:
        times = own.cpu_micros / other.cpu_micros
        yield Outcome(ratio.workload, f"≤ {ratio.cpu} × CPU of {ratio.engine}", f"{times:.2f} ×", times <= ratio.cpu)


def _find(found: Sequence[Figures], workload: str, engine: str) -> Figures | None:
    return next((one for one in found if (one.workload, one.engine) == (workload, engine)), None)


def _of_users(found: Sequence[Figures]) -> Iterator[Outcome]:
    own = _by_keys(found, "users", _OWN)
    if len(own) > 1:
        yield _grown("users", own, lambda one: one.cpu_micros, "CPU per row", _USERS_GROWTH)
    other = _by_keys(found, "users", _HASH_MAP)
    if own and other and own[-1].keys == other[-1].keys:
        times = own[-1].rows_per_second / other[-1].rows_per_second
        target = f"≥ {_MOST_USERS} × rows/s of {_HASH_MAP} at {own[-1].keys:,} users"
        yield Outcome("users", target, f"{times:.2f} ×", times >= _MOST_USERS)


def _of_keys(found: Sequence[Figures]) -> Iterator[Outcome]:
    own = _by_keys(found, "keys", _OWN)
    if len(own) > 1:
        grown = _grown(
            "keys", own, lambda one: one.cpu_micros_per_change or 0.0, "CPU per change written", _KEYS_GROWTH
        )
        # More keys are more changes of the same rows: the cost of a row is what a user pays.
        row = f"; per row {own[0].cpu_micros:.2f} to {own[-1].cpu_micros:.2f} µs"
        yield replace(grown, measured=grown.measured + row)
    if own:
        held = own[-1].unclean / _GIGABYTE
        target = f"≤ {_MEMORY:.0f} GB at {own[-1].keys:,} keys, without clean pages of files"
        yield Outcome("keys", target, f"{held:.2f} GB", held <= _MEMORY)


def _by_keys(found: Sequence[Figures], workload: str, engine: str) -> list[Figures]:
    return sorted((one for one in found if (one.workload, one.engine) == (workload, engine)), key=lambda one: one.keys)


def _grown(
    workload: str, found: Sequence[Figures], cost: Callable[[Figures], float], what: str, most: float
) -> Outcome:
    first, last = found[0], found[-1]
    times = cost(last) / cost(first) if cost(first) else float("inf")
    return Outcome(
        workload,
        f"≤ {most} × {what} from {first.keys:,} to {last.keys:,} {workload}",
        f"{times:.2f} × ({cost(first):.2f} to {cost(last):.2f} µs)",
        times <= most,
    )
