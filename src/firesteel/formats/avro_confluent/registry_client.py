"""Reads and registers schemas of a registry over HTTP. Answers are cached, since the schema of a number never changes."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import time
from collections import OrderedDict
from typing import Any
from urllib.parse import SplitResult, quote

from firesteel.errors import JobError, OutsideError, UsageError
from firesteel.formats.avro_confluent.address import Refused, open_connection
from firesteel.formats.avro_confluent.settings import RegistrySettings
from firesteel.formats.json.limit import TooLarge, check_depth
from firesteel.options.secret import reveal

_TIMEOUT_SECONDS = 10.0
_MAX_ANSWER = 1 << 20
_TRIES = 3
_MAX_REFERENCES = 64
_MAX_KEPT = 1000
_CONTENT = "application/vnd.schemaregistry.v1+json"
_NOT_FOUND, _UNAUTHORIZED, _FORBIDDEN, _CONFLICT, _INVALID = 404, 401, 403, 409, 422

#: Answers by settings and question. All decoders of a worker share them, since a decoder lives for one batch only.
_KEPT: OrderedDict[tuple[RegistrySettings, str], Any] = OrderedDict()


class UnknownSchema(Exception):
    """The registry does not have this number, or what it has is not an Avro schema: the message is bad, not the registry."""


class RegistryClient:
    def __init__(self, settings: RegistrySettings) -> None:
        self._settings = settings
        self._context = _context(settings)

    def schema(self, number: int) -> list[Any]:
        """Reads the schema of this number as JSON, after the schemas that it refers to. Raises UnknownSchema, OutsideError."""
        found: list[Any] = self._kept(f"/schemas/ids/{number}", lambda path: self._read_schema(path, number))
        return found

    def register(self, subject: str, schema: str) -> int:
        """Looks up the schema's number; registers the schema if it has none. Raises OutsideError and JobError."""
        path = f"/subjects/{quote(subject, safe='')}/versions"

        def ask(_: str) -> int:
            status, answer = self._ask("POST", path, {"schema": schema})
            number = answer.get("id") if status == http.client.OK else None
            if type(number) is int:
                return number
            if status in (_CONFLICT, _INVALID):
                raise JobError(
                    f"The schema registry refuses the table's schema for the subject '{subject}': {_message(answer)}.",
                    hint="Change the table's columns so that they fit the subject's earlier schemas, or name another subject "
                    "in 'avro-confluent.subject'.",
                )
            raise self._failed(status, answer)

        result: int = self._kept(f"{path}\n{schema}", ask)
        return result

    def _kept(self, question: str, ask: Any) -> Any:
        key = (self._settings, question)
        if key in _KEPT:
            _KEPT.move_to_end(key)
            return _KEPT[key]
        answer = _KEPT[key] = ask(question)
        while len(_KEPT) > _MAX_KEPT:
            _KEPT.popitem(last=False)
        return answer

    def _read_schema(self, path: str, number: int) -> list[Any]:
        status, answer = self._ask("GET", path)
        if status == _NOT_FOUND:
            raise UnknownSchema(f"the schema registry has no schema with the number {number}")
        if status != http.client.OK:
            raise self._failed(status, answer)
        found: dict[str, Any] = {}
        self._follow(answer, found, str(number))
        return list(found.values())

    def _follow(self, answer: dict[str, Any], found: dict[str, Any], name: str) -> None:
        """Adds a schema after those that it refers to."""
        if answer.get("schemaType", "AVRO") != "AVRO":
            raise UnknownSchema(f"the schema {name} of the registry is no Avro schema")
        if len(found) >= _MAX_REFERENCES:
            raise UnknownSchema("the schema refers to too many others")
        references = answer.get("references") or []
        for reference in references if isinstance(references, list) else ():
            subject, version = reference.get("subject"), reference.get("version")
            own = f"{subject} {version}"
            if own in found:
                continue
            if type(version) is not int or not isinstance(subject, str):
                raise UnknownSchema(f"the schema {name} refers to another in a way that cannot be read")
            found[own] = None
            status, inner = self._ask("GET", f"/subjects/{quote(subject, safe='')}/versions/{version}")
            if status != http.client.OK:
                raise self._failed(status, inner)
            del found[own]
            self._follow(inner, found, own)
        text = answer.get("schema")
        try:
            if not isinstance(text, str):
                raise ValueError
            check_depth(text)
            found[name] = json.loads(text)
        except (ValueError, TooLarge, RecursionError):
            raise UnknownSchema(f"the schema {name} of the registry cannot be read") from None

    def _ask(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """Returns the first answer of any registry. Each is tried more than once, since registries are restarted too."""
        problem = OutsideError("The schema registry does not answer.")
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(0.1 * 4**attempt * random.uniform(0.5, 1))
            for address in self._settings.addresses:
                try:
                    status, answer = self._request(address, method, path, body)
                except Refused:
                    raise UsageError(
                        f"'{address.hostname}' is an address that no schema registry may have.",
                        hint="Write the registry's own address in 'avro-confluent.url'.",
                    ) from None
                except ssl.SSLCertVerificationError as error:
                    raise self._unreachable(address, error.verify_message) from None
                except (OSError, http.client.HTTPException) as error:
                    problem = self._unreachable(address, getattr(error, "strerror", None) or type(error).__name__)
                    continue
                if status < http.client.INTERNAL_SERVER_ERROR and status != http.client.TOO_MANY_REQUESTS:
                    return status, answer
                problem = self._failed(status, answer)
        raise problem

    def _request(self, address: SplitResult, method: str, path: str, body: object) -> tuple[int, dict[str, Any]]:
        headers = {"Accept": f"{_CONTENT}, application/json", "Content-Type": _CONTENT}
        if self._settings.authorization is not None:
            headers["Authorization"] = reveal(self._settings.authorization)
        connection = open_connection(address, _TIMEOUT_SECONDS, self._context)
        try:
            content = None if body is None else json.dumps(body).encode()
            connection.request(method, f"{address.path}{path}", content, headers)
            response = connection.getresponse()
            data = response.read(_MAX_ANSWER + 1)
        finally:
            connection.close()
        if len(data) > _MAX_ANSWER:
            raise OutsideError("The schema registry's answer is too large.", hint="Schemas have at most 1 MB here.")
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            answer = None
        return response.status, answer if isinstance(answer, dict) else {}

    def _failed(self, status: int, answer: dict[str, Any]) -> OutsideError:
        if status in (_UNAUTHORIZED, _FORBIDDEN):
            return OutsideError(
                f"The schema registry does not let us in (status {status}).",
                hint="Check 'avro-confluent.basic-auth.user-info' or 'avro-confluent.bearer-auth.token'.",
            )
        if http.client.MULTIPLE_CHOICES <= status < http.client.BAD_REQUEST:
            return OutsideError(
                f"The schema registry answers with a redirect (status {status}), which is not followed.",
                hint="Write the address it leads to in 'avro-confluent.url'.",
            )
        return OutsideError(f"The schema registry answers with status {status}: {_message(answer)}.")

    def _unreachable(self, address: SplitResult, why: str) -> OutsideError:
        # Show only host and port: other parts of an address may hold a password.
        server = address.hostname if address.port is None else f"{address.hostname}:{address.port}"
        return OutsideError(
            f"The schema registry at '{server}' cannot be reached: {why}.", hint="Check 'avro-confluent.url'."
        )


def _message(answer: dict[str, Any]) -> str:
    return str(answer.get("message") or "no reason given")[:300].rstrip(".")


def _context(settings: RegistrySettings) -> ssl.SSLContext | None:
    if not any(address.scheme == "https" for address in settings.addresses):
        return None
    try:
        context = ssl.create_default_context(cafile=settings.trusted)
        if settings.identity is not None:
            password = settings.identity_password
            context.load_cert_chain(settings.identity, password=None if password is None else password.reveal())
    except OSError as error:
        # ssl.SSLError is an OSError too.
        raise UsageError(
            f"The certificates for the schema registry cannot be read: {error.strerror or 'no PEM file'}.",
            hint="'avro-confluent.ssl.truststore.location' and '.ssl.keystore.location' name PEM files; convert a Java key "
            "store with keytool and openssl.",
        ) from None
    return context
