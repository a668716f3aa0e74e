from __future__ import annotations

import pytest

from firesteel.connectors.kafka.client.jaas import parse_jaas

MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"


@pytest.mark.parametrize("quote", ['"', r"\""])
def test_findings_b3_quotes_with_backslashes_as_dli_prints_them(quote: str) -> None:
    login = parse_jaas(f"{MODULE} username={quote}me{quote} password={quote}a b{quote};")
    assert dict(login.options) == {"username": "me", "password": "a b"}


def test_a_quote_within_a_value_keeps_its_backslash_rule() -> None:
    assert parse_jaas(MODULE + r' password="a\"b";').options == {"password": 'a"b'}
