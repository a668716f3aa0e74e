"""The Kafka client's settings (`properties.*`): Java's names, what librdkafka calls them, and what may not be set.

This is an allow-list. A setting that names a class, a library, a shell command or an address to call could run code or
read files for whoever wrote the script, so those are refused by name, and so is whatever is not listed.

>>> config, findings = translate_properties({"fetch.max.wait.ms": "200", "max.poll.records": "500"}, Role.CONSUMER)
>>> config
{'fetch.wait.max.ms': '200'}
>>> findings[0].message
"'max.poll.records' has no effect here: batches are sized by 'scan.max-rows-per-batch'."
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, Flag, auto

from firesteel.connectors.kafka.client.finding import Finding
from firesteel.connectors.kafka.client.security import gather_security
from firesteel.errors import Problem, Severity, Span
from firesteel.options.kind import BOOLEAN, INT_MAX, INTEGER, LONG, NON_EMPTY, STRING, EnumKind
from firesteel.options.option import Kind, Side
from firesteel.options.secret import is_secret_key, reveal
from firesteel.options.spelling import nearest


class Role(Flag):
    """Which client a setting is for. A setting of the other role is dropped, as the Java client drops it."""

    CONSUMER = auto()
    PRODUCER = auto()
    ADMIN = auto()
    ALL = CONSUMER | PRODUCER | ADMIN


@dataclass(frozen=True)
class Passed:
    """Handed on, as `to` where librdkafka calls it otherwise, its text turned by `convert`.

    `within` is what librdkafka takes of a number; Java takes more, and a script that says more still runs.
    """

    role: Role
    kind: Kind[object] = STRING
    to: str | None = None
    convert: Callable[[str], str] | None = None
    within: tuple[int, int] | None = None


@dataclass(frozen=True)
class Ignored:
    """Harmless to leave out; the user is told why, unless there is nothing to tell."""

    reason: str | None = None


@dataclass(frozen=True)
class Refused:
    reason: str
    hint: str


@dataclass(frozen=True)
class Gathered:
    """Makes sense only together with others: the login and the key stores, see `security.py`."""


Treatment = Passed | Ignored | Refused | Gathered


class Protocol(Enum):
    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"


class Isolation(Enum):
    READ_COMMITTED = "read_committed"
    READ_UNCOMMITTED = "read_uncommitted"


class Compression(Enum):
    NONE = "none"
    GZIP = "gzip"
    SNAPPY = "snappy"
    LZ4 = "lz4"
    ZSTD = "zstd"


class Acks(Enum):
    ALL = "all"
    ALL_NUMBER = "-1"
    NONE = "0"
    ONE = "1"


class DnsLookup(Enum):
    ALL_ADDRESSES = "use_all_dns_ips"
    CANONICAL = "resolve_canonical_bootstrap_servers_only"


_C, _P = Role.CONSUMER, Role.PRODUCER

_CLASS = Refused("it names a Java class", "Remove it: a script cannot load classes into the client.")
_SERIALIZER = Refused(
    "keys and values are encoded by the table's formats", "Remove it, and choose 'key.format' and 'value.format'."
)
_PROVIDERS = Refused(
    "it would read files and variables of this machine", "Write '${env:NAME}' for an allowed variable."
)
_COMMITS = Ignored("offsets are committed to the group as batches complete")
_ASSIGNS = Ignored("partitions are assigned by Firesteel, not by the group")
_JVM_ONLY = Ignored("it is for the Java client only")
_SILENT = Ignored()


def _kilobytes(text: str) -> str:
    return str(max(1, int(text) // 1024))


PROPERTIES: Mapping[str, Treatment] = {
    # both
    "bootstrap.servers": Passed(Role.ALL, NON_EMPTY),
    "client.id": Passed(Role.ALL),
    "client.rack": Passed(_C),
    "client.dns.lookup": Passed(Role.ALL, EnumKind(DnsLookup), convert=str.lower),
    "security.protocol": Passed(Role.ALL, EnumKind(Protocol), convert=str.lower),
    "metadata.max.age.ms": Passed(Role.ALL, LONG, within=(1, 86_400_000)),
    "metadata.max.idle.ms": _SILENT,
    "connections.max.idle.ms": Passed(Role.ALL, LONG, within=(0, INT_MAX)),
    "reconnect.backoff.ms": Passed(Role.ALL, LONG, within=(0, 3_600_000)),
    "reconnect.backoff.max.ms": Passed(Role.ALL, LONG, within=(0, 3_600_000)),
    "retry.backoff.ms": Passed(Role.ALL, LONG, within=(1, 300_000)),
    "retry.backoff.max.ms": Passed(Role.ALL, LONG, within=(1, 300_000)),
    "request.timeout.ms": Passed(Role.ALL, INTEGER, within=(10, 300_000)),
    "receive.buffer.bytes": Passed(Role.ALL, INTEGER, to="socket.receive.buffer.bytes", within=(0, 100_000_000)),
    "send.buffer.bytes": Passed(Role.ALL, INTEGER, to="socket.send.buffer.bytes", within=(0, 100_000_000)),
    "socket.connection.setup.timeout.ms": Passed(Role.ALL, LONG, within=(1000, INT_MAX)),
    "socket.connection.setup.timeout.max.ms": _SILENT,
    "socket.keepalive.enable": Passed(Role.ALL, BOOLEAN, convert=str.lower),
    "broker.address.family": Passed(Role.ALL),
    "api.version.request": _SILENT,
    # consumer
    "group.id": Passed(_C, NON_EMPTY),
    "group.instance.id": _ASSIGNS,
    "group.protocol": _ASSIGNS,
    "group.remote.assignor": _ASSIGNS,
    "partition.assignment.strategy": _ASSIGNS,
    # Only members of a group have these, and the group is not joined.
    "session.timeout.ms": _SILENT,
    "heartbeat.interval.ms": _SILENT,
    "max.poll.interval.ms": _SILENT,
    "max.poll.records": Ignored("batches are sized by 'scan.max-rows-per-batch'"),
    "fetch.min.bytes": Passed(_C, INTEGER, within=(1, 100_000_000)),
    "fetch.max.bytes": Passed(_C, INTEGER, within=(1000, 2_147_483_135)),
    "fetch.max.wait.ms": Passed(_C, INTEGER, to="fetch.wait.max.ms", within=(0, 300_000)),
    "fetch.wait.max.ms": Passed(_C, INTEGER, within=(0, 300_000)),
    "max.partition.fetch.bytes": Passed(_C, INTEGER, within=(1, 1_000_000_000)),
    "queued.max.messages.kbytes": Passed(_C, INTEGER, within=(1, 2_097_151)),
    # Where to start is decided by 'scan.startup.mode'; the position reads this one itself.
    "auto.offset.reset": _SILENT,
    "enable.auto.commit": _COMMITS,
    "auto.commit.interval.ms": _COMMITS,
    "isolation.level": Passed(_C, EnumKind(Isolation), convert=str.lower),
    "check.crcs": Passed(_C, BOOLEAN, convert=str.lower),
    "allow.auto.create.topics": Passed(_C, BOOLEAN, convert=str.lower),
    "exclude.internal.topics": _SILENT,
    "default.api.timeout.ms": _SILENT,
    # producer
    "acks": Passed(_P, EnumKind(Acks), convert=str.lower),
    "batch.size": Passed(_P, INTEGER, within=(1, INT_MAX)),
    "linger.ms": Passed(_P, LONG, within=(0, 900_000)),
    "compression.type": Passed(_P, EnumKind(Compression), convert=str.lower),
    "compression.level": Passed(_P, INTEGER, within=(-1, 12)),
    "compression.gzip.level": _JVM_ONLY,
    "compression.lz4.level": _JVM_ONLY,
    "compression.zstd.level": _JVM_ONLY,
    "buffer.memory": Passed(_P, LONG, to="queue.buffering.max.kbytes", convert=_kilobytes),
    "queue.buffering.max.kbytes": Passed(_P, INTEGER, within=(1, INT_MAX)),
    "queue.buffering.max.messages": Passed(_P, INTEGER, within=(0, INT_MAX)),
    "retries": Passed(_P, INTEGER, within=(0, INT_MAX)),
    "max.in.flight.requests.per.connection": Passed(_P, INTEGER, within=(1, 1_000_000)),
    "max.request.size": Passed(_P, INTEGER, to="message.max.bytes", within=(1000, 1_000_000_000)),
    "message.max.bytes": Passed(_P, INTEGER, within=(1000, 1_000_000_000)),
    "delivery.timeout.ms": Passed(_P, INTEGER, within=(0, INT_MAX)),
    "message.timeout.ms": Passed(_P, INTEGER, within=(0, INT_MAX)),
    "max.block.ms": _JVM_ONLY,
    "enable.idempotence": Passed(_P, BOOLEAN, convert=str.lower),
    "transaction.timeout.ms": Passed(_P, INTEGER, within=(1000, INT_MAX)),
    "transactional.id": Refused(
        "the job makes its transactional ids itself", "Use the option 'sink.transactional-id-prefix'."
    ),
    "partitioner.class": Refused("it names a Java class", "Use the option 'sink.partitioner'."),
    "partitioner.ignore.keys": _JVM_ONLY,
    "partitioner.adaptive.partitioning.enable": _JVM_ONLY,
    "partitioner.availability.timeout.ms": _JVM_ONLY,
    "partitioner": Refused("keys must land where Flink's land", "Use the option 'sink.partitioner'."),
    # login and key stores, read together
    "sasl.mechanism": Gathered(),
    "sasl.mechanisms": Gathered(),
    "sasl.jaas.config": Gathered(),
    "sasl.username": Gathered(),
    "sasl.password": Gathered(),
    "sasl.kerberos.service.name": Passed(Role.ALL, NON_EMPTY),
    "sasl.kerberos.principal": Passed(Role.ALL, NON_EMPTY),
    "sasl.kerberos.min.time.before.relogin": _SILENT,
    "sasl.kerberos.ticket.renew.jitter": _SILENT,
    "sasl.kerberos.ticket.renew.window.factor": _SILENT,
    "sasl.kerberos.kinit.cmd": Refused("the client would run it as a shell command", "Remove it."),
    "sasl.login.connect.timeout.ms": _SILENT,
    "sasl.login.read.timeout.ms": _SILENT,
    "sasl.login.retry.backoff.ms": _SILENT,
    "sasl.login.retry.backoff.max.ms": _SILENT,
    "sasl.login.refresh.buffer.seconds": _SILENT,
    "sasl.login.refresh.min.period.seconds": _SILENT,
    "sasl.login.refresh.window.factor": _SILENT,
    "sasl.login.refresh.window.jitter": _SILENT,
    "sasl.login.callback.handler.class": Gathered(),
    "sasl.oauthbearer.token.endpoint.url": Gathered(),
    "sasl.client.callback.handler.class": _CLASS,
    "sasl.login.class": _CLASS,
    "ssl.endpoint.identification.algorithm": Gathered(),
    "ssl.truststore.location": Gathered(),
    "ssl.truststore.password": Gathered(),
    "ssl.truststore.type": Gathered(),
    "ssl.truststore.certificates": Gathered(),
    "ssl.keystore.location": Gathered(),
    "ssl.keystore.password": Gathered(),
    "ssl.keystore.type": Gathered(),
    "ssl.keystore.key": Gathered(),
    "ssl.keystore.certificate.chain": Gathered(),
    "ssl.key.password": Gathered(),
    "ssl.ca.location": Gathered(),
    "ssl.ca.pem": Gathered(),
    "ssl.certificate.location": Gathered(),
    "ssl.certificate.pem": Gathered(),
    "ssl.key.location": Gathered(),
    "ssl.key.pem": Gathered(),
    "ssl.cipher.suites": _JVM_ONLY,
    "ssl.protocol": _SILENT,
    "ssl.enabled.protocols": _JVM_ONLY,
    "ssl.keymanager.algorithm": _SILENT,
    "ssl.trustmanager.algorithm": _SILENT,
    "ssl.secure.random.implementation": _SILENT,
    "ssl.provider": _CLASS,
    "ssl.engine.factory.class": _CLASS,
    "security.providers": _CLASS,
    "enable.ssl.certificate.verification": Refused(
        "the broker's certificate is always verified", "Remove it, and name the authority in 'ssl.ca.location'."
    ),
    # code, libraries, files
    "key.serializer": _SERIALIZER,
    "value.serializer": _SERIALIZER,
    "key.deserializer": _SERIALIZER,
    "value.deserializer": _SERIALIZER,
    "interceptor.classes": _CLASS,
    "metric.reporters": _CLASS,
    "metrics.num.samples": _SILENT,
    "metrics.recording.level": _SILENT,
    "metrics.sample.window.ms": _SILENT,
    "auto.include.jmx.reporter": _SILENT,
    "enable.metrics.push": _SILENT,
    "config.providers": _PROVIDERS,
    "plugin.library.paths": Refused("the client would load a library from there", "Remove it."),
    # Flink's own, under the same prefix
    "partition.discovery.interval.ms": Ignored("'scan.topic-partition-discovery.interval' decides"),
    "partition-discovery.interval-millis": Ignored("'scan.topic-partition-discovery.interval' decides"),
    "flink.partition-discovery.interval-millis": Ignored("'scan.topic-partition-discovery.interval' decides"),
    "commit.offsets.on.checkpoint": _COMMITS,
    "client.id.prefix": _SILENT,
    "register.consumer.metrics": _SILENT,
    "flink.disable-metrics": _SILENT,
    "flink.poll-timeout": _SILENT,
    "zookeeper.connect": Ignored("clients have not used ZooKeeper since Kafka 0.9"),
}

#: Families refused as a whole, where a list could never be complete.
_REFUSED_FAMILIES: tuple[tuple[Callable[[str], bool], Refused], ...] = (
    (lambda name: name.startswith("config.providers."), _PROVIDERS),
    (
        lambda name: name.startswith("sasl.oauthbearer.") and name.endswith("url"),
        Refused("the client would call that address", "Remove it."),
    ),
    (lambda name: name.endswith((".class", ".classes", ".serializer", ".deserializer")), _CLASS),
)


def treatment(name: str) -> Treatment | None:
    known = PROPERTIES.get(name)
    if known is not None:
        return known
    return next((refused for belongs, refused in _REFUSED_FAMILIES if belongs(name)), None)


def translate_properties(
    properties: Mapping[str, str], role: Role, environment: Mapping[str, str] | None = None
) -> tuple[dict[str, str], tuple[Finding, ...]]:
    """Translates to librdkafka's settings for one client, with secrets revealed, and reports what cannot be translated."""
    config: dict[str, str] = {}
    findings: list[Finding] = []
    gathered: dict[str, str] = {}
    for name, written in properties.items():
        text = reveal(written)
        match treatment(name):
            case None:
                findings.append(_unknown(name))
            case Refused(reason, hint):
                findings.append(Finding(name, f"'{name}' is not allowed: {reason}.", hint))
            case Ignored(reason):
                if reason:
                    message = f"'{name}' has no effect here: {reason}."
                    findings.append(Finding(name, message, "Remove it.", Severity.WARNING))
            case Gathered():
                gathered[name] = text
            case Passed() as passed:
                mistake = _check_value(name, text, passed)
                if mistake is not None:
                    findings.append(mistake)
                elif role & passed.role:
                    to, value = _passed(name, text, passed, role)
                    config[to] = value
                    findings += _cut(name, text, passed)
    _agree(config)
    secured, more = gather_security(gathered, reveal(properties.get("security.protocol", "")), environment or {})
    return {**config, **secured}, (*findings, *more)


def _agree(config: dict[str, str]) -> None:
    """Moves defaults that contradict a setting, as Java does: librdkafka would refuse the setting."""
    if "fetch.max.bytes" in config:
        config["message.max.bytes"] = str(min(1_000_000, int(config["fetch.max.bytes"])))
    first, most = config.get("reconnect.backoff.ms"), config.get("reconnect.backoff.max.ms")
    if first is not None and int(first) > int(most or 10_000):
        config["reconnect.backoff.max.ms"] = first
    elif most is not None and int(most) < int(first or 100):
        config["reconnect.backoff.ms"] = most


def _passed(name: str, text: str, passed: Passed, role: Role) -> tuple[str, str]:
    value = passed.convert(text) if passed.convert else text
    if passed.within is not None:
        lowest, highest = passed.within
        value = str(min(max(int(value), lowest), highest))
    # Only librdkafka's producer has a time limit per request; elsewhere it is that of the socket.
    if name == "request.timeout.ms" and role is not Role.PRODUCER:
        return "socket.timeout.ms", value
    return passed.to or name, value


def _cut(name: str, text: str, passed: Passed) -> list[Finding]:
    """Warns of a number that is cut to librdkafka's range. Java's -1, which means no limit or the system's own, is librdkafka's 0."""
    if passed.within is None or text == "-1" or passed.within[0] <= int(text) <= passed.within[1]:
        return []
    used = min(max(int(text), passed.within[0]), passed.within[1])
    message = f"'{name}' is '{text}', beyond what the client takes; {used} is used."
    return [Finding(name, message, f"Write a number from {passed.within[0]} to {passed.within[1]}.", Severity.WARNING)]


def _check_value(name: str, text: str, passed: Passed) -> Finding | None:
    try:
        passed.kind.parse(text)
    except ValueError as expected:
        return Finding(name, f"'{name}' is '{'***' if is_secret_key(name) else text[:60]}', but {expected}.")
    return None


def _unknown(name: str) -> Finding:
    allowed = [known for known, treated in PROPERTIES.items() if not isinstance(treated, Refused)]
    close = nearest(name, allowed)
    hint = f"Write 'properties.{close}'." if close else "'firesteel options properties' lists what can be set."
    return Finding(name, f"'{name}' is not a Kafka client setting that Firesteel knows.", hint)


def check_properties(
    properties: Mapping[str, str],
    spans: Mapping[str, Span],
    side: Side,
    prefix: str = "properties.",
    environment: Mapping[str, str] | None = None,
) -> tuple[Problem, ...]:
    """Reports the mistakes in a table's client settings.

    `spans` has them by their option keys, `properties.<name>`; `prefix` is how the table's dialect writes that prefix.
    """
    role = Role.PRODUCER if side is Side.SINK else Role.CONSUMER
    _, findings = translate_properties(properties, role, environment)
    return tuple(_as_problem(finding, spans, prefix) for finding in findings)


def _as_problem(finding: Finding, spans: Mapping[str, Span], prefix: str) -> Problem:
    message = finding.message.replace("'properties.", f"'{prefix}")
    message = message.replace(f"'{finding.name}'", f"'{prefix}{finding.name}'")
    hint = finding.hint.replace("'properties.", f"'{prefix}") if finding.hint else None
    return Problem(message, spans.get(f"properties.{finding.name}"), hint, finding.severity)
