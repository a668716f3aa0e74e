"""Scripts over topics of a test's own, for tests that need more than a case of tests/jobs: a stop, a fault, a broker's change."""

from __future__ import annotations

from collections.abc import Mapping

EARLIEST = "'scan.startup.mode' = 'earliest-offset'"
BOUNDED = "'scan.bounded.mode' = 'latest-offset'"
UPSERT = "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json'"


def create_table(cluster: Mapping[str, str], name: str, columns: str, topic: str, *options: str) -> str:
    """Give the CREATE TABLE of a topic: the connector is `kafka` and the format `json`, unless an option says otherwise.

    Options are as they stand in the script, one or several in a text; an empty text is none.
    """
    said = ", ".join(option for option in options if option)
    parts = [f"'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}'"]
    if topic:
        parts.append(f"'topic' = '{topic}'")
    if "'connector'" not in said:
        parts.append("'connector' = 'kafka'")
    if "'format'" not in said and "'value.format'" not in said:
        parts.append("'format' = 'json'")
    if said:
        parts.append(said)
    return f"CREATE TABLE {name} ({columns}) WITH ({', '.join(parts)});\n"
