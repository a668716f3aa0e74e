"""Opens connections to a registry: only over http and https, only to the named host, and never to a cloud's metadata
service, which hands out credentials.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from urllib.parse import SplitResult

#: Addresses of cloud metadata services beside the link-local ones.
_METADATA = frozenset(map(ipaddress.ip_address, ("100.100.100.200", "fd00:ec2::254", "192.0.0.192")))


class Refused(Exception):
    """An address that a registry must not have."""


def open_connection(address: SplitResult, timeout: float, context: ssl.SSLContext | None) -> http.client.HTTPConnection:
    """Makes a connection without opening it. It uses no proxy and follows no redirect."""
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
    """Connects to the address that was checked: to look the name up again could give another one."""
    problem: OSError | None = None
    for family, kind, protocol, _, socket_address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        check_address(str(socket_address[0]))
        one = socket.socket(family, kind, protocol)
        try:
            one.settimeout(timeout)
            one.connect(socket_address)
            return one
        except OSError as error:
            one.close()
            problem = error
    raise problem or OSError("the name has no address")


def check_address(text: str) -> None:
    """Checks a registry's address. Raises Refused.

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
