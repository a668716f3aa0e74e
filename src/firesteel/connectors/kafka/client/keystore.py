"""Opens the certificate and key files of Java's clients for librdkafka, which reads fewer kinds.

They are opened where the job starts. Trusted certificates then travel as text, so that a trust store need not be on the
machines of a cluster; what a file is, its first bytes say, because `keytool` writes PKCS12 into files called `.jks`.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from firesteel.connectors.kafka.client.jks import MAGIC, BadStore, read_jks
from firesteel.errors import OutsideError
from firesteel.java import find_java

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
_TRUST, _IDENTITY = "ssl.truststore", "ssl.keystore"
#: A PKCS12 file is one DER sequence.
_DER_SEQUENCE = b"\x30"
#: The name of the variable that a password reaches `keytool` by: its arguments can be seen by every user.
_VARIABLE = "FIRESTEEL_STORE_PASSWORD"


def open_stores(config: Mapping[str, str]) -> dict[str, str]:
    """Replace Java's stores in the settings by PEM text and files that librdkafka reads."""
    opened = dict(config)
    location, password = opened.pop(f"{_TRUST}.location", None), opened.pop(f"{_TRUST}.password", None)
    if location is not None:
        opened["ssl.ca.pem"] = _trusted(location, password, _state(_TRUST, location))
    location = opened.get(f"{_IDENTITY}.location")
    if location is not None:
        _state(_IDENTITY, location)
        opened |= _identity(location, opened)
    return opened


def _state(store: str, location: str) -> tuple[int, int]:
    """Return the file's size and time, which change when it is replaced."""
    try:
        found = Path(location).stat()
    except OSError as error:
        raise OutsideError(
            f"'properties.{store}.location' is '{location}', which cannot be read: {error.strerror}.",
            hint="Check the path; the file has to be on the machine that starts the job.",
        ) from None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=32)
def _trusted(location: str, password: str | None, _: tuple[int, int]) -> str:
    data = _read(_TRUST, location)
    if data.startswith(MAGIC):
        try:
            certificates = [_pem("CERTIFICATE", one) for one in read_jks(data, password).trusted]
        except BadStore as bad:
            raise _unreadable(_TRUST, location, str(bad)) from None
    elif data.startswith(_DER_SEQUENCE):
        certificates = _CERTIFICATE.findall(_keytool(location, password))
    else:
        certificates = _CERTIFICATE.findall(data.decode(errors="replace"))
    if not certificates:
        raise _unreadable(_TRUST, location, "it holds no trusted certificate")
    return "\n".join(certificates) + "\n"


def _identity(location: str, config: dict[str, str]) -> dict[str, str]:
    """Set the client's key and certificate. librdkafka reads PKCS12 itself, and PEM, each out of the one file."""
    data = _read(_IDENTITY, location)
    password = config.get(f"{_IDENTITY}.password")
    if data.startswith(MAGIC):
        del config[f"{_IDENTITY}.location"]
        config.pop(f"{_IDENTITY}.password", None)
        if password is None:
            raise _unreadable(_IDENTITY, location, "it needs 'properties.ssl.keystore.password'")
        try:
            found = read_jks(data, password, config.pop("ssl.key.password", None)).identities
        except BadStore as bad:
            raise _unreadable(_IDENTITY, location, str(bad)) from None
        if not found:
            raise _unreadable(_IDENTITY, location, "it holds no key")
        # librdkafka takes one certificate as text: the key's own.
        return {"ssl.key.pem": _pem("PRIVATE KEY", found[0].key), "ssl.certificate.pem": _chain(found[0].chain[:1])}
    if data.startswith(_DER_SEQUENCE):
        return {}
    del config[f"{_IDENTITY}.location"]
    config.pop(f"{_IDENTITY}.password", None)
    return {"ssl.key.location": location, "ssl.certificate.location": location}


def _keytool(location: str, password: str | None) -> str:
    """Read a PKCS12 file, whose certificates are encrypted, with Java's own `keytool`."""
    if password is None:
        raise _unreadable(_TRUST, location, "it is PKCS12 and needs 'properties.ssl.truststore.password'")
    java = find_java()
    beside = [java.with_name("keytool"), java.resolve().with_name("keytool")]
    tool = next((str(path) for path in beside if os.access(path, os.X_OK)), None) or shutil.which("keytool")
    if tool is None:
        raise OutsideError(
            f"'properties.ssl.truststore.location' is '{location}', a PKCS12 file, and Java's 'keytool' is missing.",
            hint="Install a whole Java, or convert the file: openssl pkcs12 -in FILE -nokeys -out truststore.pem",
        )
    told = subprocess.run(
        [tool, "-J-Duser.language=en", "-list", "-rfc", "-keystore", location, "-storepass:env", _VARIABLE],
        env={**os.environ, _VARIABLE: password},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    output = told.stdout.decode(errors="replace")
    if told.returncode == 0:
        return output
    wrong = "password was incorrect" in output
    raise _unreadable(
        _TRUST, location, "its password is another one, or the file is damaged" if wrong else "the file is damaged"
    )


def _read(store: str, location: str) -> bytes:
    try:
        return Path(location).read_bytes()
    except OSError as error:
        raise _unreadable(store, location, str(error.strerror)) from None


def _unreadable(store: str, location: str, why: str) -> OutsideError:
    return OutsideError(
        f"'properties.{store}.location' is '{location}', which cannot be used: {why}.",
        hint="A PEM, PKCS12 or JKS file is read.",
    )


def _chain(certificates: Iterable[bytes]) -> str:
    return "\n".join(_pem("CERTIFICATE", one) for one in certificates) + "\n"


def _pem(label: str, der: bytes) -> str:
    text = base64.b64encode(der).decode()
    lines = [text[start : start + 64] for start in range(0, len(text), 64)]
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"))
