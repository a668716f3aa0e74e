"""Reads the registry's addresses and credentials from the format's options."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from firesteel.errors import UsageError
from firesteel.formats.avro_confluent import options as rows
from firesteel.options.secret import Secret, reveal
from firesteel.options.value import OptionValues


@dataclass(frozen=True)
class RegistrySettings:
    """The addresses and credentials of a registry. `urls` have no user and password in them; `authorization` is the
    value of the header, as a secret, or None.
    """

    urls: tuple[str, ...]
    authorization: Secret | None = None
    trusted: str | None = None
    identity: str | None = None
    identity_password: Secret | None = None

    @property
    def addresses(self) -> tuple[SplitResult, ...]:
        return tuple(map(urlsplit, self.urls))


def from_options(options: OptionValues) -> RegistrySettings:
    """Reads the settings. Raises UsageError."""
    addresses = [urlsplit(url.strip()) for url in str(options.get(rows.URL)).split(",")]
    properties = options.properties
    user = _pick(options.get(rows.BASIC_AUTH_USER_INFO), properties, "basic.auth.user.info")
    for address in addresses:
        if user is None and address.username is not None:
            user = f"{unquote(address.username)}:{unquote(address.password or '')}"
    token = _pick(options.get(rows.BEARER_AUTH_TOKEN), properties, "bearer.auth.token")
    source = _pick(options.get(rows.BEARER_AUTH_CREDENTIALS_SOURCE), properties, "bearer.auth.credentials.source")
    if source is not None and source.upper() != "STATIC_TOKEN":
        raise UsageError(
            f"'bearer-auth.credentials-source' is '{source}', which is not supported.",
            hint="Write 'STATIC_TOKEN' and give the token in 'bearer-auth.token'.",
        )
    authorization = None
    if token is not None:
        authorization = Secret(f"Bearer {token}")
    elif user is not None:
        authorization = Secret("Basic " + base64.b64encode(user.encode()).decode("ascii"))
    password = options.get(rows.SSL_KEYSTORE_PASSWORD)
    return RegistrySettings(
        tuple(_without_user(address) for address in addresses),
        authorization,
        options.get(rows.SSL_TRUSTSTORE_LOCATION),
        options.get(rows.SSL_KEYSTORE_LOCATION),
        None if password is None else Secret(password),
    )


def _pick(value: str | None, properties: Mapping[str, str], name: str) -> str | None:
    chosen = properties.get(name) if value is None else value
    return None if chosen is None else reveal(chosen)


def _without_user(address: SplitResult) -> str:
    return address._replace(netloc=address.netloc.rpartition("@")[2]).geturl().rstrip("/")
