"""The options of `'format' = 'avro-confluent'`: Avro with its schemas in a schema registry."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from firesteel.options.kind import NON_EMPTY, STRING
from firesteel.options.option import Alias, Dialect, Option, Side


@dataclass(frozen=True)
class UrlKind:
    """One or more web addresses, separated by commas. Other schemes are refused: a registry's address must not read files."""

    name: str = "URL"

    def parse(self, text: str) -> str:
        for address in text.split(","):
            try:
                parts = urlsplit(address.strip())
                right = parts.scheme in ("http", "https") and bool(parts.hostname)
            except ValueError:
                right = False
            if not right:
                raise ValueError("expects an address that starts with http:// or https://")
        return text


URL = Option(
    "url",
    UrlKind(),
    "The address of the schema registry.",
    "Schema Registry 的地址。",
    required=True,
    aliases=(Alias("schema-registry.url", Dialect.FLINK),),
)
SUBJECT = Option(
    "subject",
    NON_EMPTY,
    "The subject the schema is registered under; `<topic>-value` or `<topic>-key` when the table has one topic.",
    "注册 schema 使用的 subject；单主题表默认为 `<topic>-value` 或 `<topic>-key`。",
    side=Side.SINK,
    aliases=(Alias("schema-registry.subject", Dialect.FLINK),),
)
SCHEMA = Option(
    "schema",
    STRING,
    "The Avro schema to use instead of the one derived from the table.",
    "代替由表推导的 Avro schema。",
)
SSL_KEYSTORE_LOCATION = Option(
    "ssl.keystore.location",
    NON_EMPTY,
    "The PEM file with our key and certificate for the registry.",
    "连接 Schema Registry 使用的密钥和证书（PEM 文件）。",
    aliases=(Alias("schema-registry.ssl.keystore.location", Dialect.FLINK),),
)
SSL_KEYSTORE_PASSWORD = Option(
    "ssl.keystore.password",
    STRING,
    "The password of that key.",
    "该密钥的密码。",
    secret=True,
    aliases=(Alias("schema-registry.ssl.keystore.password", Dialect.FLINK),),
)
SSL_TRUSTSTORE_LOCATION = Option(
    "ssl.truststore.location",
    NON_EMPTY,
    "The PEM file with the certificates that the registry's own is checked against.",
    "用于校验 Schema Registry 证书的 PEM 文件。",
    aliases=(Alias("schema-registry.ssl.truststore.location", Dialect.FLINK),),
)
SSL_TRUSTSTORE_PASSWORD = Option(
    "ssl.truststore.password",
    STRING,
    "Not needed for a PEM file, and without effect.",
    "PEM 文件无需密码，不起作用。",
    secret=True,
    aliases=(Alias("schema-registry.ssl.truststore.password", Dialect.FLINK),),
)
BASIC_AUTH_CREDENTIALS_SOURCE = Option(
    "basic-auth.credentials-source",
    STRING,
    "Where the registry's user name and password come from: `USER_INFO` or `URL`.",
    "Schema Registry 用户名和密码的来源：`USER_INFO` 或 `URL`。",
    aliases=(Alias("schema-registry.basic-auth.credentials-source", Dialect.FLINK),),
)
BASIC_AUTH_USER_INFO = Option(
    "basic-auth.user-info",
    STRING,
    "The registry's user name and password as `user:password`.",
    "Schema Registry 的用户名和密码，格式为 `user:password`。",
    secret=True,
    aliases=(Alias("schema-registry.basic-auth.user-info", Dialect.FLINK),),
)
BEARER_AUTH_CREDENTIALS_SOURCE = Option(
    "bearer-auth.credentials-source",
    STRING,
    "Where the registry's bearer token comes from: only `STATIC_TOKEN`.",
    "Schema Registry 令牌的来源：仅支持 `STATIC_TOKEN`。",
    aliases=(Alias("schema-registry.bearer-auth.credentials-source", Dialect.FLINK),),
)
BEARER_AUTH_TOKEN = Option(
    "bearer-auth.token",
    STRING,
    "The registry's bearer token.",
    "Schema Registry 的令牌。",
    secret=True,
    aliases=(Alias("schema-registry.bearer-auth.token", Dialect.FLINK),),
)

#: The settings of Confluent's client under `properties.` that are understood.
PROPERTIES = frozenset(
    {
        "basic.auth.user.info",
        "basic.auth.credentials.source",
        "bearer.auth.token",
        "bearer.auth.credentials.source",
    }
)

ROWS = (
    URL,
    SUBJECT,
    SCHEMA,
    SSL_KEYSTORE_LOCATION,
    SSL_KEYSTORE_PASSWORD,
    SSL_TRUSTSTORE_LOCATION,
    SSL_TRUSTSTORE_PASSWORD,
    BASIC_AUTH_CREDENTIALS_SOURCE,
    BASIC_AUTH_USER_INFO,
    BEARER_AUTH_CREDENTIALS_SOURCE,
    BEARER_AUTH_TOKEN,
)
