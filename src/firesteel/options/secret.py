"""Keeps secrets out of output: a text that hides its value, the keys that hold secrets, and the masking of text.

>>> password = Secret("hunter22")
>>> f"{password}", password + "!", repr(password), password.reveal()
('***', '***!', "Secret('***')", 'hunter22')
>>> mask("login failed for https://me:hunter22@registry", ["hunter22"])
'login failed for https://***@registry'
>>> is_secret_key("properties.sasl.jaas.config"), is_secret_key("properties.sasl.mechanism")
(True, False)
>>> mask_script("WITH ('properties.ssl.key.password' = 'hunter22')")
"WITH ('properties.ssl.key.password' = '********')"
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MASKED = "***"


class Secret(str):
    """A text whose characters are `***`. Only `reveal` returns the hidden value.

    A `str` subclass that only printed `***` would still leak through `+`, `json.dumps` and C code.
    """

    __slots__ = ("_hidden",)
    _hidden: str

    def __new__(cls, hidden: str) -> Secret:
        self = super().__new__(cls, MASKED)
        self._hidden = reveal(hidden)
        return self

    def reveal(self) -> str:
        return self._hidden

    def __repr__(self) -> str:
        return f"Secret('{MASKED}')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._hidden == self._hidden

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._hidden)

    def __reduce__(self) -> tuple[type[Secret], tuple[str]]:
        return Secret, (self._hidden,)


def reveal(text: str) -> str:
    """Returns the text itself, of a secret too: only for passing it to a client."""
    return text.reveal() if isinstance(text, Secret) else text


# A fixed list: if operators can name keys one day, these are added to it and never replace it.
_SECRET_WORDS = (
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "jaas",
    "credential",
    "key.pem",
    "keystore.key",
    "private-key",
    "private.key",
    "privatekey",
    "basic-auth",
    "basic.auth",
    "user-info",
    "user.info",
    "bearer",
    "api-key",
    "api.key",
    "apikey",
    "access-key",
    "access.key",
    "accesskey",
    "authorization",
    "sas-key",
    "shared-access",
)


def is_secret_key(key: str) -> bool:
    lowered = key.lower().replace("_", "-")
    return any(word in lowered for word in _SECRET_WORDS)


#: A shorter value is masked only after its key: to mask every 'ab' would make the text unreadable.
_SHORTEST = 4
_USER_INFO = re.compile(r"(?<=://)[^\s/?#'\"@]+(?=@)")


def mask(text: str, secrets: Iterable[str]) -> str:
    """Masks every known secret in the text, and every user name and password in an address."""
    hidden = {reveal(secret) for secret in secrets}
    for value in sorted((value for value in hidden if len(value) >= _SHORTEST), key=len, reverse=True):
        text = text.replace(value, MASKED)
    return _USER_INFO.sub(MASKED, text)


# The key is short, and the pattern does not backtrack: a script may have a megabyte of quotes.
_PAIR = re.compile(r"['\"]([^'\"\n]{1,200})['\"](\s*+=\s*+)'((?:[^']++|'')*+)('|\Z)")
_QUOTED_PAIR = re.compile(r"['\"]([^'\"\n]{1,200})['\"](\s*+=\s*+)\"((?:[^\"\\]++|\\.|\"\")*+)(\"|\Z)", re.DOTALL)
_SET = re.compile(r"(?i)\bSET\s++([\w.\-]++)(\s*+=\s*+)([^\s;']++)")


def mask_script(text: str) -> str:
    """Masks the secrets of a script and keeps its length and lines, so that error messages may quote it.

    Works on the text alone, so also for a script that cannot be parsed.
    """

    def stars(value: str) -> str:
        return re.sub(r"[^\r\n]", "*", value)

    def value_hidden(found: re.Match[str]) -> str:
        if not is_secret_key(found[1]):
            return found[0]
        start, end = found.start(3) - found.start(), found.end(3) - found.start()
        return found[0][:start] + stars(found[3]) + found[0][end:]

    masked = _SET.sub(value_hidden, _QUOTED_PAIR.sub(value_hidden, _PAIR.sub(value_hidden, text)))
    return _USER_INFO.sub(lambda found: stars(found[0]), masked)


_LOGIN_OPTION = re.compile(
    r"""(?i)(?:password|secret|token)\w{0,40}\s*+=\s*+(?:\\"((?:[^"\\]|\\[^"])*)\\"|"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;"'\\]+))"""
)


def secrets_within(key: str, value: str) -> tuple[str, ...]:
    """Returns the parts of an option's value that must not be shown: all of it if its key says so, or the secrets inside it."""
    found = [value] if is_secret_key(key) and value else []
    if "jaas" in key.lower():
        found += [group for match in _LOGIN_OPTION.finditer(value) for group in match.groups() if group]
    for info in _USER_INFO.findall(value):
        found += [info, *info.split(":", 1)[1:]]
    return tuple(found)
