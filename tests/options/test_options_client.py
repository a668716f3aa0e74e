from __future__ import annotations

import pytest

from firesteel.connectors.kafka.client.jaas import parse_jaas
from firesteel.connectors.kafka.client.setting import Role, translate_properties
from firesteel.errors import Severity
from firesteel.options.secret import Secret

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="al" password="se\\"cret";'


def config(properties: dict[str, str], role: Role = Role.CONSUMER, **environment: str) -> dict[str, str]:
    translated, findings = translate_properties(properties, role, environment)
    assert not [finding for finding in findings if finding.severity is Severity.ERROR]
    return translated


@pytest.mark.parametrize(
    ("java", "value", "role", "name", "turned"),
    [
        ("fetch.max.wait.ms", "5", Role.CONSUMER, "fetch.wait.max.ms", "5"),
        ("buffer.memory", "33554432", Role.PRODUCER, "queue.buffering.max.kbytes", "32768"),
        ("max.request.size", "9000", Role.PRODUCER, "message.max.bytes", "9000"),
        ("receive.buffer.bytes", "-1", Role.CONSUMER, "socket.receive.buffer.bytes", "0"),
        ("request.timeout.ms", "900", Role.PRODUCER, "request.timeout.ms", "900"),
        ("request.timeout.ms", "9000000", Role.CONSUMER, "socket.timeout.ms", "300000"),
        ("security.protocol", "SASL_SSL", Role.ADMIN, "security.protocol", "sasl_ssl"),
        ("acks", "ALL", Role.PRODUCER, "acks", "all"),
        ("ssl.keystore.location", "/c/k.p12", Role.CONSUMER, "ssl.keystore.location", "/c/k.p12"),
        ("ssl.truststore.certificates", "PEM", Role.CONSUMER, "ssl.ca.pem", "PEM"),
        ("ssl.endpoint.identification.algorithm", "https", Role.CONSUMER, None, "https"),
        ("ssl.endpoint.identification.algorithm", "", Role.CONSUMER, None, "none"),
    ],
)
def test_java_names_become_librdkafkas(java: str, value: str, role: Role, name: str | None, turned: str) -> None:
    assert config({java: value}, role) == {name or java: turned}


def test_a_setting_of_the_other_role_is_dropped() -> None:
    assert config({"group.id": "g", "linger.ms": "5", "client.id": "c"}, Role.CONSUMER) == {
        "group.id": "g",
        "client.id": "c",
    }
    assert config({"group.id": "g", "linger.ms": "5"}, Role.PRODUCER) == {"linger.ms": "5"}


def test_a_plain_login_becomes_user_and_password() -> None:
    assert config({"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": Secret(PLAIN)}) == {
        "security.protocol": "sasl_ssl",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "al",
        "sasl.password": 'se"cret',
    }


def test_a_vendors_own_copy_of_kafka_is_still_kafka() -> None:
    shaded = f"org.apache.flink.kafka.shaded.{PLAIN}"
    assert parse_jaas(shaded).module == "PlainLoginModule"
    # …but a class that only ends alike is not.
    with pytest.raises(ValueError, match="not allowed"):
        parse_jaas("evilorg.apache.kafka.common.security.plain.PlainLoginModule required;")


def test_kerberos_gives_service_and_keytab() -> None:
    login = 'com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab="/k" principal="p" ;'
    translated = config({"sasl.mechanism": "GSSAPI", "sasl.jaas.config": login, "sasl.kerberos.service.name": "kafka"})
    assert translated["sasl.kerberos.keytab"] == "/k" and translated["sasl.kerberos.service.name"] == "kafka"


def test_tokens_are_fetched_only_from_allowed_addresses() -> None:
    properties = {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": "https://login.example/token",
        "sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
        "sasl.jaas.config": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required "
        "clientId='c' clientSecret='s';",
    }
    _, findings = translate_properties(properties, Role.CONSUMER, {})
    assert [finding.name for finding in findings] == ["sasl.oauthbearer.token.endpoint.url"]
    allowed = config(properties, FIRESTEEL_ALLOWED_URLS="https://login.example/*")
    assert allowed["sasl.oauthbearer.method"] == "oidc" and allowed["sasl.oauthbearer.client.secret"] == "s"
    files = {**properties, "sasl.oauthbearer.token.endpoint.url": "file:///etc/passwd"}
    _, findings = translate_properties(files, Role.CONSUMER, {"FIRESTEEL_ALLOWED_URLS": "*"})
    assert findings


def test_an_operator_can_name_the_folders() -> None:
    allowed = {"FIRESTEEL_ALLOWED_FOLDERS": "/certs, /run/secrets"}
    for location, right in (("/certs/a.pem", True), ("/certs/../etc/x.pem", False), ("/certsx/a.pem", False)):
        _, findings = translate_properties({"ssl.ca.location": location}, Role.CONSUMER, allowed)
        assert bool(findings) is not right


@pytest.mark.parametrize(
    "name",
    [
        "interceptor.classes",
        "metric.reporters",
        "partitioner.class",
        "key.serializer",
        "value.deserializer",
        "sasl.client.callback.handler.class",
        "sasl.login.class",
        "sasl.login.callback.handler.class",
        "ssl.engine.factory.class",
        "security.providers",
        "config.providers",
        "config.providers.x.class",
        "plugin.library.paths",
        "sasl.kerberos.kinit.cmd",
        "sasl.oauthbearer.jwks.endpoint.url",
        "something.new.class",
        "enable.ssl.certificate.verification",
        "no.such.setting",
        "log_cb",
        "",
    ],
)
@pytest.mark.parametrize("role", [Role.CONSUMER, Role.PRODUCER, Role.ADMIN])
def test_what_could_run_code_is_refused(name: str, role: Role) -> None:
    translated, findings = translate_properties({name: "x"}, role)
    assert translated == {}
    assert [finding.severity for finding in findings] == [Severity.ERROR]


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "org.apache.kafka.common.security.plain.PlainLoginModule",
        'org.apache.kafka.common.security.plain.PlainLoginModule required password="canary',
        'org.apache.kafka.common.security.plain.PlainLoginModule required password="canary"',
        PLAIN + PLAIN,
        "com.sun.security.auth.module.LdapLoginModule required password=canary;",
    ],
)
def test_a_wrong_login_text_does_not_show_its_password(text: str) -> None:
    with pytest.raises(ValueError) as error:
        parse_jaas(text)
    assert "canary" not in str(error.value) and "secret" not in str(error.value)
