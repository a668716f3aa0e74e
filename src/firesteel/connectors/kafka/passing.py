"""Which errors of a Kafka client pass by themselves: a broker restarts, a partition changes hands, a coordinator loads.

Callers try again. A call that has failed for longer than it may take raises `BrokerAwayError`, and the query is started
again until the brokers are back (`spark/job/query.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from confluent_kafka import KafkaError, KafkaException

from firesteel.errors import BrokerAwayError

T = TypeVar("T")

#: How long one look-up is tried before it raises `BrokerAwayError`.
PATIENCE = 10.0
#: How long one request may take. A broker that has just gone does not answer, and another one may.
REQUEST_SECONDS = 5.0
_PAUSE = 0.1

_PASSING = frozenset(
    {
        # The connection is gone, or there is none yet.
        KafkaError._TRANSPORT,
        KafkaError._DESTROY,
        KafkaError._DESTROY_BROKER,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._MSG_TIMED_OUT,
        KafkaError._WAIT_COORD,
        KafkaError._WAIT_CACHE,
        KafkaError._UNKNOWN_BROKER,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.REBOOTSTRAP_REQUIRED,
        # A partition is being opened or changes hands.
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.REPLICA_NOT_AVAILABLE,
        KafkaError.KAFKA_STORAGE_ERROR,
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.ELIGIBLE_LEADERS_NOT_AVAILABLE,
        # A broker or a coordinator starts.
        KafkaError.BROKER_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.NOT_COORDINATOR,
        KafkaError.NOT_CONTROLLER,
        KafkaError.CONCURRENT_TRANSACTIONS,
        KafkaError.STALE_BROKER_EPOCH,
        KafkaError.FETCH_SESSION_ID_NOT_FOUND,
        KafkaError.INVALID_FETCH_SESSION_EPOCH,
        KafkaError.UNSTABLE_OFFSET_COMMIT,
        KafkaError.THROTTLING_QUOTA_EXCEEDED,
    }
)


def is_passing(error: KafkaError | None) -> bool:
    """Says whether an error passes by itself, so that it is tried again.


    >>> is_passing(KafkaError(KafkaError.REQUEST_TIMED_OUT)), is_passing(KafkaError(KafkaError.MSG_SIZE_TOO_LARGE))
    (True, False)
    """
    return error is not None and error.code() in _PASSING


def error_of(exception: KafkaException) -> KafkaError | None:
    cause = exception.args[0] if exception.args else None
    return cause if isinstance(cause, KafkaError) else None


def reason_of(exception: KafkaException) -> str:
    """Extract the client's own text from an error."""
    cause = error_of(exception)
    return (cause.str() if cause is not None else str(exception)).rstrip(".")


def away(reason: str) -> BrokerAwayError:
    return BrokerAwayError(
        f"Kafka does not answer: {reason}.", hint="Check that the brokers run and can be reached from here."
    )


def ask(request: Callable[[], T], patience: float = PATIENCE) -> T:
    """Make a request, and make it again while it fails with an error that passes.

    Raises `BrokerAwayError` when its time is over, and `KafkaException` for what does not pass.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            return request()
        except KafkaException as error:
            if not is_passing(error_of(error)):
                raise
            if time.monotonic() >= deadline:
                raise away(reason_of(error)) from None
        time.sleep(_PAUSE)
