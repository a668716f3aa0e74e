"""What `client_config` gives is what librdkafka takes: a client is made of every setting that is handed on."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, Producer

from firesteel.connectors.kafka.client.librdkafka import Role, client_config
from firesteel.connectors.kafka.client.setting import PROPERTIES, Passed
from firesteel.errors import ScriptError
from firesteel.options.kind import EnumKind
from firesteel.options.secret import Secret


def samples(name: str, passed: Passed) -> list[str]:
    """For a number, both ends of what librdkafka takes, and beyond."""
    if name == "bootstrap.servers":
        return ["127.0.0.1:1"]
    if name == "broker.address.family":
        return ["v4"]
    if isinstance(passed.kind, EnumKind):
        return list(passed.kind.texts)
    if passed.within is not None:
        return ["-1", str(passed.within[0]), str(passed.within[1]), "2147483647"]
    return {"Boolean": ["true", "FALSE"], "Integer": ["100"], "Long": ["1000000"]}.get(passed.kind.name, ["x"])


PASSED = [(name, treated) for name, treated in PROPERTIES.items() if isinstance(treated, Passed)]


@pytest.mark.parametrize(("name", "passed"), PASSED, ids=[name for name, _ in PASSED])
@pytest.mark.parametrize("role", [Role.CONSUMER, Role.PRODUCER])
def test_librdkafka_knows_the_setting(name: str, passed: Passed, role: Role) -> None:
    if not role & passed.role or name in ("security.protocol", "sasl.kerberos.principal"):
        pytest.skip("not for this client, or not alone")
    base = {"bootstrap.servers": "127.0.0.1:1", "group.id": "g"}
    for text in samples(name, passed):
        config = client_config({**base, name: text}, role, {})
        if role is Role.CONSUMER:
            Consumer(config).close()
        else:
            Producer(config)


def test_a_login_reaches_the_client_in_the_clear() -> None:
    jaas = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";'
    config = client_config(
        {
            "bootstrap.servers": "127.0.0.1:1",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.jaas.config": Secret(jaas),
        },
        Role.PRODUCER,
        {},
    )
    assert config["sasl.password"] == "p" and type(config["sasl.password"]) is str
    Producer(config)


def test_what_check_would_refuse_is_refused_here_too() -> None:
    with pytest.raises(ScriptError, match=r"plugin\.library\.paths"):
        client_config({"plugin.library.paths": "/tmp/x.so"}, Role.CONSUMER, {})
