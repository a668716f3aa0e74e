from __future__ import annotations

import contextlib
import json
import pickle
import time
from dataclasses import dataclass

import pytest

from firesteel.catalog.with_clause.redaction import redact
from firesteel.errors import Span
from firesteel.options.entry import read_entries
from firesteel.options.environment import substitute
from firesteel.options.kind import LIST
from firesteel.options.secret import Secret, is_secret_key, mask, mask_script, reveal, secrets_within

CANARY = "c4nary-p4ssword"


def test_a_secret_shows_itself_nowhere() -> None:
    secret = Secret(CANARY)
    shown = [
        str(secret),
        repr(secret),
        f"{secret}",
        f"{secret:>20}",
        f"{secret!r}",
        "{}".format(secret),  # noqa: UP032
        secret + "",
        "" + secret,
        "".join([secret]),
        secret.upper(),
        secret[:],
        json.dumps({"k": secret}),
        repr({"k": secret}),
    ]
    assert all(CANARY.lower() not in text.lower() for text in shown)
    assert secret.reveal() == CANARY == reveal(secret)


def test_a_secret_travels_to_a_worker_and_is_compared_by_what_it_hides() -> None:
    secret = Secret(CANARY)
    assert pickle.loads(pickle.dumps(secret)).reveal() == CANARY
    assert secret == Secret(CANARY) and secret != Secret("other") and secret != "***"
    assert len({secret, Secret(CANARY), Secret("other")}) == 2


def test_keys_that_hold_secrets() -> None:
    secret = [
        "properties.sasl.jaas.config",
        "properties.ssl.key.password",
        "properties.ssl.keystore.key",
        "properties.SASL.PASSWORD",
        "avro-confluent.basic-auth.user-info",
        "value.avro-confluent.bearer-auth.token",
        "spark.hadoop.fs.s3a.secret.key",
        "fs.oss.accessKeySecret",
        "s3.access-key",
    ]
    plain = ["topic", "key.format", "key.fields", "properties.sasl.mechanism", "format", "csv.null-literal"]
    assert all(is_secret_key(key) for key in secret)
    assert not any(is_secret_key(key) for key in plain)


def test_masking_by_value_and_in_addresses() -> None:
    assert mask(f"failed: {CANARY} at http://me:pw@host/x", [Secret(CANARY)]) == "failed: *** at http://***@host/x"
    assert mask("a short one stays", ["a"]) == "a short one stays"


def test_the_login_text_gives_its_password() -> None:
    jaas = f'x.PlainLoginModule required username="me" password="{CANARY}";'
    assert CANARY in secrets_within("properties.sasl.jaas.config", jaas)
    assert secrets_within("url", f"https://me:{CANARY}@host") == (f"me:{CANARY}", CANARY)


def test_a_script_is_masked_in_place() -> None:
    script = (
        "CREATE TABLE t (id INT) WITH (\n"
        f"  'properties.sasl.jaas.config' = 'X required password=\"{CANARY}\n{CANARY}\";',\n"
        f"  'properties.ssl.key.password'='it''s {CANARY}', 'topic' = 'orders',\n"
        f"  'avro-confluent.url' = 'https://me:{CANARY}@registry');\n"
        f"SET spark.hadoop.secret.key = {CANARY};\n"
        f"SET 'my.token' = '{CANARY}';\n"
        f"'properties.ssl.key.password' = '{CANARY} never closed"
    )
    masked = mask_script(script)
    assert CANARY not in masked
    assert len(masked) == len(script)
    assert [len(line) for line in masked.split("\n")] == [len(line) for line in script.split("\n")]
    assert "'topic' = 'orders'" in masked


def test_variables_are_replaced_once_and_only_the_allowed() -> None:
    environment = {"FIRESTEEL_ALLOWED_ENV": "KAFKA_*, REGISTRY_URL", "KAFKA_A": "${env:HOME}", "HOME": "/root"}
    assert substitute("x${env:KAFKA_A}y", environment).text == "x${env:HOME}y"
    assert "KAFKA_B" in substitute("${env:KAFKA_B}", environment).mistakes[0][1]
    refused = substitute("${env:HOME}", environment)
    assert "'${env:HOME}'" in refused.mistakes[0][0] and "/root" not in refused.text
    assert substitute("${topic:in}", environment).used is False


def test_a_variable_counts_as_a_secret() -> None:
    @dataclass(frozen=True)
    class Text:
        value: str
        span: Span

    @dataclass(frozen=True)
    class Entry:
        key: Text
        value: Text

    environment = {"FIRESTEEL_ALLOWED_ENV": "T", "T": CANARY}
    given, problems = read_entries([Entry(Text("topic", Span(0, 1)), Text("${env:T}", Span(0, 1)))], environment)
    assert not problems and given[0].shown == "***" and CANARY in given[0].secrets


def test_a_megabyte_of_anything_is_masked_in_a_moment() -> None:
    long = 300_000
    for text in ("'" * long, "' " * long, "'a' = " * 50_000, "SET " * long, "://" * long, "password" * 40_000):
        start = time.perf_counter()
        assert len(mask_script(text)) == len(text)
        secrets_within("sasl.jaas.config", text)
        parse_list(text)
        assert time.perf_counter() - start < 3


def parse_list(text: str) -> None:
    with contextlib.suppress(ValueError):
        LIST.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        """WITH ("properties.ssl.key.password" = "hunter22")""",
        r"""WITH ("properties.sasl.jaas.config" = "PlainLoginModule required username=\"me\" password=\"hunter22\";")""",
        r"""WITH ('properties.sasl.jaas.config' = 'PlainLoginModule required username=\"me\" password=\"hunter22\";')""",
    ],
)
def test_findings_b3_secrets_in_double_quotes(text: str) -> None:
    redacted = redact(text)
    assert "hunter22" not in redacted.text
    assert "hunter22" not in mask_script(text)
    assert any("hunter22" in secret for secret in redacted.secrets)
    assert "hunter22" not in mask("login with hunter22 failed", redacted.secrets)
