"""Connections to a registry: only over http and https, only to the host that was named, never to where a cloud keeps its keys."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from urllib.parse import SplitResult

#: Where clouds answer questions about the machine, beside the link-local addresses.
_METADATA = frozenset(map(ipaddress.ip_address, ("100.100.100.200", "fd00:ec2::254", "192.0.0.192")))


class Refused(Exception):
    """The address cannot be that of a registry."""


def open_connection(address: SplitResult, timeout: float, context: ssl.SSLContext | None) -> http.client.HTTPConnection:
    """Make a connection, which is not open yet. It uses no proxy and follows no redirect."""
    assert address.hostname is not None
    if address.scheme == "https":
        return _SecureConnection(address.hostname, address.port, timeout=timeout, context=context)
    return _PlainConnection(address.hostname, address.port, timeout=timeout)


class _PlainConnection(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = _connect(self.host, self.port, self.timeout)


class _SecureConnection(http.client.HTTPSConnection):
    def connect(self) -> None:
        plain = _connect(self.host, self.port, self.timeout)
        context: ssl.SSLContext = self._context  # type: ignore[attr-defined]
        self.sock = context.wrap_socket(plain, server_hostname=self.host)


def _connect(host: str, port: int, timeout: float | None) -> socket.socket:
    """Connects to an address that was looked at: a name that is looked up twice could give another one."""
    problem: OSError | None = None
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        check_address(str(place[0]))
        one = socket.socket(family, kind, protocol)
        try:
            one.settimeout(timeout)
            one.connect(place)
            return one
        except OSError as error:
            one.close()
            problem = error
    raise problem or OSError("the name has no address")


def check_address(text: str) -> None:
    """Raises Refused.

    >>> check_address("127.0.0.1")
    >>> check_address("169.254.169.254")
    Traceback (most recent call last):
    ...
    firesteel.formats.avro_confluent.address.Refused: 169.254.169.254
    """
    address = ipaddress.ip_address(text.partition("%")[0])
    inner = getattr(address, "ipv4_mapped", None) or address
    if inner.is_link_local or inner.is_multicast or inner.is_unspecified or inner in _METADATA:
        raise Refused(text)
