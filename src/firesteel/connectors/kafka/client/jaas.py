"""Java's login text, `sasl.jaas.config`, read without a JVM. Only the login modules of Kafka itself are allowed.

>>> login = parse_jaas('org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";')
>>> login.module, login.options["username"]
('PlainLoginModule', 'a')
>>> parse_jaas('com.sun.security.auth.module.JndiLoginModule required user.provider.url="ldap://x";')
Traceback (most recent call last):
ValueError: names the login module 'com.sun.security.auth.module.JndiLoginModule', which is not allowed
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
_OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
_KERBEROS = "com.sun.security.auth.module.Krb5LoginModule"
_ALLOWED = (_PLAIN, _SCRAM, _OAUTH, _KERBEROS)


@dataclass(frozen=True)
class Login:
    """The options hold passwords: they are not printed."""

    module: str
    options: Mapping[str, str] = field(repr=False)


_HEAD = re.compile(r"\s*([\w.$]+)\s+(required|requisite|sufficient|optional)\b", re.IGNORECASE)
_OPTION = re.compile(r"""\s+([\w.\-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;"']+))""", re.DOTALL)
_TAIL = re.compile(r"\s*;\s*")


def parse_jaas(text: str) -> Login:
    """Raises ValueError, whose text never quotes the options: they hold the password."""
    # DLI's reference prints the quotes of these options with backslashes.
    if re.search(r"=\s*\\\"", text):
        text = text.replace('\\"', '"')
    head = _HEAD.match(text)
    if head is None:
        raise ValueError("expects a login module, 'required' and its options, as in 'Module required username=\"…\";'")
    # Vendors' connectors carry Kafka under a name of their own: the end of the path says what it is.
    module = next((known for known in _ALLOWED if head[1] == known or head[1].endswith(f".{known}")), None)
    if module is None:
        raise ValueError(f"names the login module '{head[1][:120]}', which is not allowed")
    options: dict[str, str] = {}
    position = head.end()
    while option := _OPTION.match(text, position):
        quoted = option[2]
        value = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (option[3] or option[4] or "")
        options[option[1]] = value
        position = option.end()
    if not _TAIL.fullmatch(text, position):
        raise ValueError("has something that is no option after the login module, or no ';' at its end")
    return Login(module.rpartition(".")[2], options)
