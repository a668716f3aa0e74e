"""A stand-in for a schema registry, which cannot be had here: a real HTTP server with the three questions that are asked of one."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Registry:
    """`answers` overrides what a path gives: a status and a document, or bytes as they are."""

    def __init__(self) -> None:
        self.schemas: list[dict[str, Any]] = []
        self.subjects: dict[str, list[int]] = {}
        self.answers: dict[str, tuple[int, Any]] = {}
        self.requests: list[tuple[str, str, str | None]] = []
        self.headers: dict[str, str] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def add(self, schema: Any, subject: str = "s", **more: Any) -> int:
        """The number of the schema, which is the one it has if it is known."""
        entry = {"schema": schema if isinstance(schema, str) else json.dumps(schema), **more}
        if entry not in self.schemas:
            self.schemas.append(entry)
        number = self.schemas.index(entry) + 1
        versions = self.subjects.setdefault(subject, [])
        if number not in versions:
            versions.append(number)
        return number

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        if path in self.answers:
            return self.answers[path]
        match [method, *path.strip("/").split("/")]:
            case ["GET", "schemas", "ids", number] if 0 < int(number) <= len(self.schemas):
                return 200, self.schemas[int(number) - 1]
            case ["GET", "subjects", subject, "versions", version] if subject in self.subjects:
                return 200, self.schemas[self.subjects[subject][int(version) - 1] - 1]
            case ["POST", "subjects", subject, "versions"]:
                return 200, {"id": self.add(json.loads(body)["schema"], subject)}
        return 404, {"error_code": 40403, "message": "Schema not found"}


def _handler(registry: Registry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            registry.requests.append((self.command, path, self.headers.get("Authorization")))
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, answer = registry.answer(self.command, path, body)
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in registry.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_GET

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler
