"""A table's client settings as librdkafka takes them; `connectors/kafka/client/setting.py` has what may be set, and its translation.

>>> client_config({"bootstrap.servers": "b:9092", "group.id": "g", "linger.ms": "5"}, Role.PRODUCER)
{'bootstrap.servers': 'b:9092', 'linger.ms': '5'}
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from firesteel.connectors.kafka.client.keystore import open_stores
from firesteel.connectors.kafka.client.setting import Role, translate_properties
from firesteel.errors import Problem, ScriptError, Severity

__all__ = ["Role", "client_config"]


def client_config(
    properties: Mapping[str, str], role: Role, environment: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Make librdkafka's settings, with secrets revealed and key stores opened: pass them to a client only.

    `check` reports every mistake in them; a ScriptError here means that it was not called.
    """
    config, findings = translate_properties(properties, role, os.environ if environment is None else environment)
    mistakes = tuple(
        Problem(finding.message, hint=finding.hint) for finding in findings if finding.severity is Severity.ERROR
    )
    if mistakes:
        raise ScriptError(mistakes)
    return open_stores(config)
