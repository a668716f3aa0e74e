"""Masks the secrets in a script, so that error messages may quote it. Works on the text alone.

A script may have a mistake in the very line that has a password, so nothing here relies on correct syntax: after a
missing `=`, a missing quote or a misspelt key, what follows the key is masked as well.

>>> redact("WITH ('properties.ssl.key.password' 'hunter22', 'format' = 'json')").text
"WITH ('properties.ssl.key.password' '********', 'format' = 'json')"
>>> redact("WITH ('properties.ssl.key.password' = hunter22 )").secrets
('hunter22',)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from firesteel.connectors.builtin import client_settings
from firesteel.options.secret import is_secret_key, mask_script, secrets_within
from firesteel.options.spelling import is_similar

#: A shorter value is masked only after its key: to mask every 'ab' would make the text unreadable.
_SHORTEST = 4

#: A name with dots is an option, with any kind of quotes.
_KEY = re.compile(r"['\"`]?(?<![\w.\-])([\w\-]{1,80}(?:\.[\w\-]{1,80}){1,12})['\"`]?")
#: A name without dots, as in a login text or an unquoted option, counts only if a value is assigned to it.
_ASSIGNED = re.compile(
    r"(?i)(?<![\w.\-])[\w\-]{0,40}(?:password|passwd|passphrase|secret|jaas)[\w\-]{0,40}['\"`]?(?=\s*[=:])"
)
_INDEXED_VALUE = re.compile(r"connector\.properties\.(\d+)\.value")
_INDEXED_KEY = re.compile(r"connector\.properties\.(\d+)\.key['\"`]?(?:\s{0,80}=\s{0,80}['\"]([\w.\-]{1,200})['\"])?")
_SEPARATOR = re.compile(r"[\s=:]{0,80}")
_COMMA = re.compile(r"\s{0,80},\s{0,80}")
_REST = re.compile(r"[^,)\n]*")
_UNQUOTED = re.compile(r"[^\s'\"]+")
_WORD = re.compile(r"[^\s'\"`=;,():/@]{4,}")

#: Parts of names of secrets, which are found with spelling mistakes too.
_SECRET_PARTS = ("password", "secret", "token", "credentials", "jaas", "passphrase", "user-info")
#: Words of a login text that are not secret and may be shown.
_HARMLESS = frozenset({"required", "username", "format", "connector", "topic", "with"})
_MOST_WORDS = 50
_LONGEST_PIECE = 2000


@dataclass(frozen=True)
class Redacted:
    """A masked script. `text` has the length and the lines of the script; `secrets` are the values that messages must
    not repeat.
    """

    text: str
    secrets: tuple[str, ...]


def redact(text: str, names: Collection[str] = ()) -> Redacted:
    """Masks the secrets of a script. `names` are the script's names of tables and columns: they are shown where they
    are not the value of a secret, even if a secret has the same text.
    """
    stretches = sorted({*_values(text), *_addresses(text)})
    secrets = [secret for start, end, whole in stretches for secret in _secrets(text[start:end], whole)]
    known = tuple(dict.fromkeys(secret for secret in secrets if len(secret) >= _SHORTEST and secret not in names))
    known = known[: 2 * _MOST_WORDS]
    # Mask the same value elsewhere too, in a comment or in a literal of a query.
    shown = mask_script(_starred(text, [(start, end) for start, end, _ in stretches]))
    for secret in known:
        shown = shown.replace(secret, _stars(secret))
    return Redacted(shown, known)


def _values(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yields where the values of secret keys are. The flag is True if the value is complete, between its quotes."""
    indexed = _indexed_keys(text)
    # Do not search a value again: a script of nothing but keys would take minutes.
    for names in (_KEY, _ASSIGNED):
        done = 0
        for name in names.finditer(text):
            if name.start() < done or (names is _KEY and not _is_secret_option(text, name, indexed)):
                continue
            must_assign = names is _ASSIGNED or name[0][0] not in "'\"`"
            for stretch in _after(text, name.end(), must_assign):
                done = max(done, stretch[1])
                yield stretch


def _is_secret_option(text: str, name: re.Match[str], indexed: Mapping[str, set[str]]) -> bool:
    value = _INDEXED_VALUE.fullmatch(name[1])
    if value is not None:
        # Mask the value unless all keys of that number are known and hold no secret.
        keys = indexed.get(value[1], set())
        return not keys or any(is_secret_key(key) or key not in client_settings() for key in keys)
    return _is_secret(name[1]) and not _is_value(text, name.start())


def _indexed_keys(text: str) -> dict[str, set[str]]:
    """Collects the keys of `connector.properties.0.key` and the like, by their numbers."""
    keys: dict[str, set[str]] = {}
    for found in _INDEXED_KEY.finditer(text):
        keys.setdefault(found[1], set()).add(found[2] or "")
    return keys


def _after(text: str, position: int, must_assign: bool) -> Iterator[tuple[int, int, bool]]:
    """Yields the value after a key, and the text up to the next comma: the rest of a value with a wrong quote."""
    separator = _SEPARATOR.match(text, position)
    assert separator is not None
    assigned = "=" in separator[0] or ":" in separator[0]
    start = separator.end()
    if must_assign and not assigned:
        return
    if not assigned and (comma := _COMMA.match(text, position)):
        start = comma.end()
    quote = text[start : start + 1]
    if quote and quote in "'\"`":
        end = _closing(text, start)
        whole = end < len(text)
        if not assigned and text[end + 1 : end + 40].lstrip().startswith("="):
            # This is already the next key.
            return
        yield start + 1, end, whole
        rest = _REST.match(text, end + 1)
    elif assigned:
        rest = _REST.match(text, start)
    else:
        return
    if rest is not None and rest[0].strip(" \t\r;'\""):
        yield rest.start(), rest.end(), False


def _closing(text: str, start: int) -> int:
    """Finds the quote that closes the one at `start`, or the end of the text. A doubled quote does not close."""
    quote, position = text[start], start + 1
    while (position := text.find(quote, position)) >= 0:
        if quote == '"' and _is_escaped(text, position):
            position += 1
            continue
        if text[position + 1 : position + 2] != quote:
            return position
        position += 2
    return len(text)


def _is_escaped(text: str, position: int) -> bool:
    before = text[max(0, position - _LONGEST_PIECE) : position]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _addresses(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yields the user and password of addresses, even if they have an '@' or a '/' too many."""
    for found in _UNQUOTED.finditer(text) if "@" in text else ():
        scheme, last = found[0].find(":/"), found[0].rfind("@")
        start = scheme + (3 if found[0].startswith("://", scheme) else 2)
        if scheme >= 0 and start < last:
            yield found.start() + start, found.start() + last, False


def _is_value(text: str, start: int) -> bool:
    """Checks whether the name is on the right of an '='."""
    return text[max(0, start - 40) : start].rstrip().endswith("=")


@lru_cache(maxsize=4096)
def _is_secret(key: str) -> bool:
    if is_secret_key(key):
        return True
    name = key.rpartition("properties.")[2]
    if name == key or name in client_settings():
        return False
    return any(is_similar(part, _SECRET_PARTS, 0.8) for part in name.split("."))


def _secrets(value: str, whole: bool) -> Iterator[str]:
    if whole:
        yield value
        yield value.replace("''", "'")
        yield value.replace('\\"', '"')
        yield from secrets_within("jaas", value)
        return
    for word in _WORD.findall(value[:_LONGEST_PIECE])[:_MOST_WORDS]:
        if word.lower() not in _HARMLESS and not is_secret_key(word) and "." not in word:
            yield word


def _starred(text: str, stretches: list[tuple[int, int]]) -> str:
    parts, position = [], 0
    for start, end in stretches:
        start = max(start, position)
        if end > start:
            parts += [text[position:start], _stars(text[start:end])]
            position = end
    return "".join([*parts, text[position:]])


def _stars(text: str) -> str:
    return re.sub(r"[^\r\n]", "*", text)
