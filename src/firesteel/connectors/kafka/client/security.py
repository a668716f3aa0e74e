"""Logins and key stores: Java's settings turned into librdkafka's. The files themselves are opened when a job starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from firesteel.connectors.kafka.client.finding import Finding
from firesteel.connectors.kafka.client.jaas import parse_jaas
from firesteel.errors import Severity
from firesteel.options.environment import allowed

#: Set by the operator: folders that key stores may be read from, and addresses that tokens may be fetched from.
ALLOWED_FOLDERS = "FIRESTEEL_ALLOWED_FOLDERS"
ALLOWED_URLS = "FIRESTEEL_ALLOWED_URLS"

_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI")
_STORE_TYPES = ("JKS", "PKCS12", "PEM")
#: Java's names, left as they are for `connectors/kafka/client/keystore.py`, which opens the files.
_TRUST_STORE = ("ssl.truststore.location", "ssl.truststore.password")
_KEY_STORE = ("ssl.keystore.location", "ssl.keystore.password")
_OIDC_HANDLER = "OAuthBearerLoginCallbackHandler"

#: librdkafka's own names, which need no turning.
_NATIVE = (
    "sasl.username",
    "sasl.password",
    "ssl.ca.location",
    "ssl.ca.pem",
    "ssl.certificate.location",
    "ssl.certificate.pem",
    "ssl.key.location",
    "ssl.key.pem",
    "ssl.key.password",
)


def gather_security(
    settings: Mapping[str, str], protocol: str, environment: Mapping[str, str]
) -> tuple[dict[str, str], list[Finding]]:
    config = {name: settings[name] for name in _NATIVE if name in settings}
    findings: list[Finding] = []
    for name in settings:
        if name.endswith(".location"):
            findings += _check_folder(name, settings[name], environment)
    _login(settings, protocol.upper(), environment, config, findings)
    _trust(settings, config, findings)
    _identity(settings, config, findings)
    algorithm = settings.get("ssl.endpoint.identification.algorithm")
    if algorithm is not None:
        if algorithm.lower() not in ("", "https", "none"):
            findings.append(
                Finding(
                    "ssl.endpoint.identification.algorithm",
                    f"'ssl.endpoint.identification.algorithm' is '{algorithm[:60]}', but expects 'https' or ''.",
                )
            )
        elif algorithm.lower() != "https":
            config["ssl.endpoint.identification.algorithm"] = "none"
            findings.append(
                Finding(
                    "ssl.endpoint.identification.algorithm",
                    "'ssl.endpoint.identification.algorithm' is switched off, so any host with a valid certificate "
                    "can pretend to be the broker.",
                    "Remove it once the broker's certificate names its host.",
                    Severity.WARNING,
                )
            )
        else:
            config["ssl.endpoint.identification.algorithm"] = "https"
    return config, findings


def _login(
    settings: Mapping[str, str],
    protocol: str,
    environment: Mapping[str, str],
    config: dict[str, str],
    findings: list[Finding],
) -> None:
    written = next((name for name in ("sasl.mechanism", "sasl.mechanisms") if name in settings), None)
    mechanism = settings[written].upper() if written else ""
    if written and mechanism == "AWS_MSK_IAM":
        hint = "Write 'SCRAM-SHA-512', which MSK has too, or 'OAUTHBEARER' with an endpoint that gives tokens."
        findings.append(Finding(written, f"'{written}' is 'AWS_MSK_IAM', which is not supported yet.", hint))
        return
    if written and mechanism not in _MECHANISMS:
        findings.append(
            Finding(
                written,
                f"'{written}' is '{settings[written][:60]}', but expects one of {', '.join(_MECHANISMS)}.",
            )
        )
        return
    if mechanism:
        config["sasl.mechanism"] = mechanism
    if "sasl.jaas.config" in settings:
        _jaas(settings, mechanism, environment, config, findings)
    handler = settings.get("sasl.login.callback.handler.class", "")
    if handler and not handler.endswith(f".{_OIDC_HANDLER}"):
        findings.append(
            Finding(
                "sasl.login.callback.handler.class",
                "'sasl.login.callback.handler.class' is not allowed: it names a Java class.",
                "Remove it: a script cannot load classes into the client.",
            )
        )
    if mechanism.startswith("SCRAM") and protocol == "SASL_PLAINTEXT":
        findings.append(
            Finding(
                written or "sasl.jaas.config",
                f"'{mechanism}' is used without TLS, so whoever listens can attack the password.",
                "Write 'properties.security.protocol' = 'SASL_SSL' (CVE-2024-56128).",
                Severity.WARNING,
            )
        )


def _jaas(
    settings: Mapping[str, str],
    mechanism: str,
    environment: Mapping[str, str],
    config: dict[str, str],
    findings: list[Finding],
) -> None:
    name = "sasl.jaas.config"
    try:
        login = parse_jaas(settings[name])
    except ValueError as expected:
        findings.append(
            Finding(
                name,
                f"'{name}' {expected}.",
                'Write org.apache.kafka.common.security.plain.PlainLoginModule required username="…" password="…"; '
                "or the same with the Scram, OAuthBearer or Krb5 login module.",
            )
        )
        return
    match login.module:
        case "PlainLoginModule" | "ScramLoginModule":
            for option, setting in (("username", "sasl.username"), ("password", "sasl.password")):
                if option in login.options:
                    config[setting] = login.options[option]
                else:
                    findings.append(Finding(name, f"'{name}' has no {option}.", f"Add {option}=\"…\" before the ';'."))
            if not mechanism:
                # Java's own default is GSSAPI, with which neither of these modules works.
                findings.append(
                    Finding(
                        name,
                        f"'{name}' is set and needs 'properties.sasl.mechanism'.",
                        "Add 'properties.sasl.mechanism' = 'PLAIN' or 'SCRAM-SHA-256' or 'SCRAM-SHA-512'.",
                    )
                )
        case "Krb5LoginModule":
            if "serviceName" in login.options:
                config["sasl.kerberos.service.name"] = login.options["serviceName"]
            if "principal" in login.options:
                config["sasl.kerberos.principal"] = login.options["principal"]
            if "keyTab" in login.options:
                findings += _check_folder(name, login.options["keyTab"], environment)
                config["sasl.kerberos.keytab"] = login.options["keyTab"]
        case _:
            _oauth(settings, login.options, environment, config, findings)


def _oauth(
    settings: Mapping[str, str],
    options: Mapping[str, str],
    environment: Mapping[str, str],
    config: dict[str, str],
    findings: list[Finding],
) -> None:
    """Fetching a token is a call to an address in the script: only to those the operator allowed."""
    name = "sasl.oauthbearer.token.endpoint.url"
    url = settings.get(name, "")
    client, secret = options.get("clientId", ""), options.get("clientSecret", "")
    if not url or not client or not secret:
        findings.append(
            Finding(
                "sasl.jaas.config",
                "OAUTHBEARER needs 'properties.sasl.oauthbearer.token.endpoint.url' and a login with clientId and "
                "clientSecret.",
                "Add them, or log in with PLAIN or SCRAM.",
            )
        )
    elif not url.startswith(("https://", "http://")) or not allowed(url, environment.get(ALLOWED_URLS, "")):
        findings.append(
            Finding(
                name,
                f"'{name}' is not among the addresses that the operator allowed.",
                f"Start Firesteel with {ALLOWED_URLS} set to that address (or patterns, separated by commas).",
            )
        )
    else:
        config |= {
            "sasl.oauthbearer.method": "oidc",
            "sasl.oauthbearer.token.endpoint.url": url,
            "sasl.oauthbearer.client.id": client,
            "sasl.oauthbearer.client.secret": secret,
        }
        if "scope" in options:
            config["sasl.oauthbearer.scope"] = options["scope"]


def _check_type(settings: Mapping[str, str], store: str) -> list[Finding]:
    """Reports a type of store that cannot be read. Which of the others a file is, its content says (`connectors/kafka/client/keystore.py`)."""
    written = settings.get(f"ssl.{store}.type")
    if written is None or written.upper() in _STORE_TYPES:
        return []
    name = f"ssl.{store}.type"
    return [Finding(name, f"'{name}' is '{written[:60]}', but expects one of {', '.join(_STORE_TYPES)}.")]


def _trust(settings: Mapping[str, str], config: dict[str, str], findings: list[Finding]) -> None:
    findings += _check_type(settings, "truststore")
    if "ssl.truststore.certificates" in settings:
        config["ssl.ca.pem"] = settings["ssl.truststore.certificates"]
    if "ssl.truststore.location" in settings:
        config |= {name: settings[name] for name in _TRUST_STORE if name in settings}


def _identity(settings: Mapping[str, str], config: dict[str, str], findings: list[Finding]) -> None:
    findings += _check_type(settings, "keystore")
    if "ssl.keystore.key" in settings:
        config["ssl.key.pem"] = settings["ssl.keystore.key"]
    if "ssl.keystore.certificate.chain" in settings:
        config["ssl.certificate.pem"] = settings["ssl.keystore.certificate.chain"]
    if "ssl.keystore.location" in settings:
        config |= {name: settings[name] for name in _KEY_STORE if name in settings}


def _check_folder(name: str, location: str, environment: Mapping[str, str]) -> list[Finding]:
    """Reports a file outside the folders that the operator listed; without a list every folder is allowed."""
    listed = [folder.strip() for folder in environment.get(ALLOWED_FOLDERS, "").split(",") if folder.strip()]
    path = PurePosixPath(location)
    if not listed or (".." not in path.parts and any(path.is_relative_to(folder) for folder in listed)):
        return []
    return [
        Finding(
            name,
            f"'{name}' is outside the folders that the operator allowed.",
            f"Put the file into one of the folders in {ALLOWED_FOLDERS}.",
        )
    ]
