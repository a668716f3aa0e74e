"""Java's own key store file (JKS), read without Java: trusted certificates, and a private key with its chain.

The form is public and small: a head, entries, and a digest over them that the password goes into. What `keytool` calls
JKS today is often PKCS12 inside; `keystore.py` tells them apart by their first bytes.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, field

MAGIC = b"\xfe\xed\xfe\xed"

_KEY, _TRUSTED = 1, 2
#: Java puts this into the digest after the password.
_SALT = b"Mighty Aphrodite"
#: The object identifier of the cipher that Java invented for its keys, as DER: 1.3.6.1.4.1.42.2.17.1.1.
_KEY_PROTECTOR = bytes.fromhex("2b060104012a02110101")


class BadStore(Exception):
    """The file cannot be read; the text ends a sentence and never holds the password."""


@dataclass(frozen=True)
class Identity:
    """A private key (PKCS8) and its certificates, the key's own first, all as DER."""

    key: bytes = field(repr=False)
    chain: tuple[bytes, ...]


@dataclass(frozen=True)
class JavaStore:
    trusted: tuple[bytes, ...]
    identities: tuple[Identity, ...]


def read_jks(data: bytes, password: str | None, key_password: str | None = None) -> JavaStore:
    """Read the entries of the file. Without a password its digest is not checked, as in Java; keys cannot be read then."""
    if password is not None:
        digest = hashlib.sha1(_utf16(password) + _SALT + data[:-20], usedforsecurity=False).digest()
        if digest != data[-20:]:
            raise BadStore("its password is another one, or the file is damaged")
    try:
        return _read(_Bytes(data, 4), key_password if key_password is not None else password)
    except (struct.error, IndexError, UnicodeDecodeError):
        raise BadStore("the file is damaged") from None


class _Bytes:
    """Reads bytes one after the other from a position on."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return int(value)

    def take(self, form: str) -> bytes:
        """Read a number and then that many bytes."""
        length = self.number(form)
        if length < 0 or self._at + length > len(self._data):
            raise IndexError(length)
        self._at += length
        return self._data[self._at - length : self._at]


def _read(data: _Bytes, key_password: str | None) -> JavaStore:
    version = data.number(">I")
    trusted: list[bytes] = []
    identities: list[Identity] = []
    for _ in range(data.number(">I")):
        tag = data.number(">I")
        data.take(">H")  # its alias
        data.number(">Q")  # when it was made
        if tag == _TRUSTED:
            trusted.append(_certificate(data, version))
        elif tag == _KEY:
            sealed = data.take(">I")
            chain = tuple(_certificate(data, version) for _ in range(data.number(">I")))
            if key_password is not None:
                identities.append(Identity(_open_key(sealed, key_password), chain))
        else:
            raise BadStore("the file is damaged")
    return JavaStore(tuple(trusted), tuple(identities))


def _certificate(data: _Bytes, version: int) -> bytes:
    if version == 2:
        data.take(">H")  # its type: X.509
    return data.take(">I")


def _open_key(sealed: bytes, password: str) -> bytes:
    """Decrypt the key, which Java's own cipher has encrypted: each 20 bytes are combined with a digest of the password and the 20 before them."""
    hidden = _protected(sealed)
    salt, body, check = hidden[:20], hidden[20:-20], hidden[-20:]
    secret = _utf16(password)
    plain = bytearray()
    block = salt
    for start in range(0, len(body), 20):
        block = hashlib.sha1(secret + block, usedforsecurity=False).digest()
        plain += bytes(a ^ b for a, b in zip(body[start : start + 20], block, strict=False))
    if hashlib.sha1(secret + plain, usedforsecurity=False).digest() != check:
        raise BadStore("its key has another password ('properties.ssl.key.password')")
    return bytes(plain)


def _protected(sealed: bytes) -> bytes:
    """Find the encrypted bytes inside SEQUENCE { SEQUENCE { cipher, … }, OCTET STRING }."""
    outer, _ = _element(sealed, 0)
    algorithm, after = _element(outer, 0)
    cipher, _ = _element(algorithm, 0)
    if cipher != _KEY_PROTECTOR:
        raise BadStore("its key is encrypted in a way that only Java reads")
    hidden, _ = _element(outer, after)
    return hidden


def _element(data: bytes, at: int) -> tuple[bytes, int]:
    """Return the content of the DER element at a position, and where it ends."""
    length, at = data[at + 1], at + 2
    if length & 0x80:
        count = length & 0x7F
        length, at = int.from_bytes(data[at : at + count], "big"), at + count
    return data[at : at + length], at + length


def _utf16(password: str) -> bytes:
    return password.encode("utf-16-be")
