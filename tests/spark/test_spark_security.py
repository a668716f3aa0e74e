"""The reference job against a broker that wants TLS and a login; and with the wrong password."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.kafka.kafka_secure import Certificates, scram_login

import firesteel
from firesteel.cli.demo import SCRIPT, read_counts
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import Broker
from firesteel.dev.pageviews import PageViews, fill_topic


def write_script(folder: Path, broker: Broker, login: Mapping[str, str]) -> Path:
    options = ", ".join(f"'properties.{name}' = '{value}'" for name, value in login.items())
    text = SCRIPT.replace("'{bootstrap}'", f"'{{bootstrap}}', {options}")
    text = text.replace("'scan.startup.mode'", "'scan.bounded.mode' = 'latest-offset', 'scan.startup.mode'")
    path = folder / "job.sql"
    path.write_text(text.format(views="views", counts="counts", bootstrap=broker.address("SASL_SSL")))
    return path


@pytest.mark.spark
def test_the_reference_job_over_sasl_ssl(
    secure_broker: Broker, certificates: Certificates, spark: SparkSession, tmp_path: Path
) -> None:
    plain = {"bootstrap.servers": secure_broker.bootstrap}
    views = PageViews(2_000, users=300)
    for topic in ("views", "counts"):
        create_topic(plain, topic, partitions=2)
    fill_topic(plain, "views", views, 2)
    firesteel.run(write_script(tmp_path, secure_broker, scram_login(certificates)), spark=spark)
    assert read_counts(plain, "counts") == views.expected_counts()


def test_a_wrong_password_stops_the_job(secure_broker: Broker, certificates: Certificates, tmp_path: Path) -> None:
    script = write_script(tmp_path, secure_broker, scram_login(certificates, "canary-wrong"))
    started = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-m", "firesteel.cli.main", "run", str(script)], capture_output=True, text=True, timeout=60
    )
    assert time.monotonic() - started < 30
    assert ended.returncode == 3
    assert ended.stderr.count(secure_broker.address("SASL_SSL")) == 1
    assert "refuses the login" in ended.stderr and "canary" not in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
