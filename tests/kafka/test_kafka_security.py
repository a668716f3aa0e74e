"""Secured brokers, reached with the settings that Java's clients have, and what is said when they are wrong."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.kafka.kafka_secure import (
    PASSWORD,
    STORE_PASSWORD,
    Certificates,
    plain_login,
    scram_login,
    trust,
)

from firesteel.connectors.kafka.admin import check_broker, list_topics
from firesteel.connectors.kafka.client.jks import read_jks
from firesteel.connectors.kafka.client.keystore import open_stores
from firesteel.connectors.kafka.client.librdkafka import Role, client_config
from firesteel.dev.broker.broker import Broker
from firesteel.errors import OutsideError, UsageError

pytestmark = pytest.mark.kafka


def connect(broker: Broker, properties: Mapping[str, str]) -> object:
    protocol = properties["security.protocol"]
    config = client_config({"bootstrap.servers": broker.address(protocol), **properties}, Role.ADMIN)
    check_broker(config)
    return list_topics(config)


def assert_connects(broker: Broker, properties: Mapping[str, str]) -> None:
    assert connect(broker, properties) is not None


def identity(certificates: Certificates, name: str) -> Mapping[str, str]:
    return {"ssl.keystore.location": certificates.path(name), "ssl.keystore.password": STORE_PASSWORD}


@pytest.mark.parametrize(
    ("trusted", "own"), [("trust.pem", "client.jks"), ("trust.jks", "client.p12"), ("trust.p12", "client.pem")]
)
def test_ssl_takes_stores_of_every_kind(
    trusted: str, own: str, secure_broker: Broker, certificates: Certificates, tmp_path: Path
) -> None:
    stores = identity(certificates, own)
    if own.endswith(".pem"):
        opened = open_stores(identity(certificates, "client.jks"))
        (tmp_path / own).write_text(opened["ssl.key.pem"] + "\n" + opened["ssl.certificate.pem"])
        stores = {"ssl.keystore.location": str(tmp_path / own), "ssl.keystore.type": "PEM"}
    assert_connects(secure_broker, {"security.protocol": "SSL", **trust(certificates, trusted), **stores})


def test_plain_logs_in_over_sasl_plaintext(secure_broker: Broker) -> None:
    assert_connects(secure_broker, plain_login())


def test_scram_logs_in_over_sasl_ssl(secure_broker: Broker, certificates: Certificates) -> None:
    assert_connects(secure_broker, scram_login(certificates))


def test_a_wrong_password_is_said_at_once_and_not_shown(secure_broker: Broker, certificates: Certificates) -> None:
    for login in (plain_login("canary-wrong"), scram_login(certificates, "canary-wrong")):
        started = time.monotonic()
        with pytest.raises(OutsideError) as error:
            connect(secure_broker, login)
        assert time.monotonic() - started < 5
        assert f"'{secure_broker.address(login['security.protocol'])}' refuses the login" in error.value.message
        assert "canary" not in str(error.value)
        assert error.value.hint and "'properties.sasl.jaas.config'" in error.value.hint


def test_a_broker_that_is_not_trusted_is_refused(secure_broker: Broker, certificates: Certificates) -> None:
    stranger = {"ssl.truststore.location": certificates.path("other.pem")}
    with pytest.raises(OutsideError, match=r"cannot be reached by a secure connection: .*verif") as error:
        connect(secure_broker, {**scram_login(certificates), **stranger})
    assert "ssl.truststore.location" in str(error.value)


@pytest.mark.parametrize("name", ["trust.jks", "trust.p12"])
def test_a_wrong_password_of_a_store_is_said_and_not_shown(name: str, certificates: Certificates) -> None:
    wrong = {**trust(certificates, name), "ssl.truststore.password": "canary-wrong"}
    with pytest.raises(OutsideError, match="its password is another one") as error:
        open_stores(wrong)
    assert "canary-wrong" not in str(error.value) and certificates.path(name) in str(error.value)


def test_a_store_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutsideError, match=r"'properties\.ssl\.truststore\.location' .* cannot be read: No such file"):
        open_stores({"ssl.truststore.location": str(tmp_path / "none.jks")})


@pytest.mark.parametrize("cut", [3, 30, 200])
def test_a_damaged_store_is_refused(cut: int, certificates: Certificates, tmp_path: Path) -> None:
    whole = Path(certificates.path("client.jks")).read_bytes()
    damaged = tmp_path / "damaged.jks"
    damaged.write_bytes(whole[:cut])
    with pytest.raises(OutsideError, match="cannot be used"):
        open_stores({"ssl.truststore.location": str(damaged)})


def test_a_key_with_a_password_of_its_own(certificates: Certificates) -> None:
    data = Path(certificates.path("client.jks")).read_bytes()
    [identity] = read_jks(data, STORE_PASSWORD).identities
    assert identity.chain and identity.key[0] == 0x30
    assert PASSWORD not in repr(identity) and "key" not in repr(identity)


def test_kerberos_needs_another_build_of_the_client() -> None:
    with pytest.raises(UsageError, match="'GSSAPI', and the Kafka client that pip installs is built without Kerberos"):
        check_broker({"bootstrap.servers": "127.0.0.1:1", "security.protocol": "sasl_ssl", "sasl.mechanism": "GSSAPI"})
