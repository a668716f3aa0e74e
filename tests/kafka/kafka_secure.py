"""A broker with every kind of secured listener, and certificates made for it by Java's own tool."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # the stub exports one
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from firesteel.dev.broker.broker import Broker, start_broker
from firesteel.java import find_java

USER, PASSWORD, STORE_PASSWORD = "alice", "canary-Pa55", "canary-store"
PROTOCOLS = ("SSL", "SASL_PLAINTEXT", "SASL_SSL")

_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"


@dataclass(frozen=True)
class Certificates:
    """`server.p12` and `clients.p12` are the broker's; `trust.*` and `client.*` what clients use."""

    folder: Path

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def __post_init__(self) -> None:
        pair = ("-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1", "-validity", "30", "-alias")
        self._keytool("server.p12", "PKCS12", *pair, "server", "-dname", "CN=broker", "-ext", "SAN=ip:127.0.0.1")
        self._keytool("client.jks", "JKS", *pair, "client", "-dname", "CN=client", "-keypass", STORE_PASSWORD)
        self._keytool("other.jks", "JKS", *pair, "other", "-dname", "CN=other", "-keypass", STORE_PASSWORD)
        for store, name in (("server.p12", "server"), ("client.jks", "client"), ("other.jks", "other")):
            self._keytool(store, None, "-exportcert", "-rfc", "-alias", name, "-file", self.path(f"{name}.pem"))
        for store, kind in (("trust.jks", "JKS"), ("trust.p12", "PKCS12")):
            for name in ("other", "server"):
                self._import(store, kind, name)
        self._import("clients.p12", "PKCS12", "client")
        both = (self.folder / "other.pem").read_text() + (self.folder / "server.pem").read_text()
        (self.folder / "trust.pem").write_text(both)
        self._keytool(
            *("client.p12", None, "-importkeystore", "-srckeystore", self.path("client.jks")),
            *("-srcstorepass", STORE_PASSWORD, "-deststoretype", "PKCS12"),
            flag="dest",
        )

    def _import(self, store: str, kind: str, name: str) -> None:
        source = self.path(f"{name}.pem")
        self._keytool(store, kind, "-importcert", "-noprompt", "-alias", name, "-file", source)

    def _keytool(self, store: str, kind: str | None, *arguments: str, flag: str = "") -> None:
        tool = find_java().resolve().with_name("keytool")
        target = (f"-{flag}keystore", self.path(store), f"-{flag}storepass", STORE_PASSWORD)
        typed = ("-storetype", kind) if kind else ()
        subprocess.run([tool, *arguments, *target, *typed], check=True, capture_output=True)


def start_secure_broker(certificates: Certificates) -> Broker:
    """SSL wants a client's certificate; SASL_PLAINTEXT takes PLAIN, SASL_SSL takes SCRAM-SHA-512."""
    broker = start_broker(
        secured=PROTOCOLS,
        settings={
            "ssl.keystore.location": certificates.path("server.p12"),
            "ssl.keystore.password": STORE_PASSWORD,
            "ssl.keystore.type": "PKCS12",
            "ssl.truststore.location": certificates.path("clients.p12"),
            "ssl.truststore.password": STORE_PASSWORD,
            "ssl.truststore.type": "PKCS12",
            "listener.name.ssl.ssl.client.auth": "required",
            "listener.name.sasl_plaintext.sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": f'{_PLAIN} required user_{USER}="{PASSWORD}";',
            "listener.name.sasl_ssl.sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": f"{_SCRAM} required;",
        },
    )
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    futures = admin.alter_user_scram_credentials([UserScramCredentialUpsertion(USER, info, PASSWORD.encode())])
    for future in futures.values():
        future.result(30)
    return broker


def plain_login(password: str = PASSWORD) -> Mapping[str, str]:
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": f'{_PLAIN} required username="{USER}" password="{password}";',
    }


def scram_login(certificates: Certificates, password: str = PASSWORD) -> Mapping[str, str]:
    return {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.jaas.config": f'{_SCRAM} required username="{USER}" password="{password}";',
        **trust(certificates, "trust.jks"),
    }


def trust(certificates: Certificates, name: str) -> Mapping[str, str]:
    found = {"ssl.truststore.location": certificates.path(name)}
    return found if name.endswith(".pem") else {**found, "ssl.truststore.password": STORE_PASSWORD}
