"""Describes the Kafka client's settings for the reference pages, from the rows that check them."""

from __future__ import annotations

from firesteel.connectors.client_reference import ClientReference, ClientSetting, Text, UnusedSetting
from firesteel.connectors.kafka.client.setting import PROPERTIES, Gathered, Ignored, Passed, Refused, Role
from firesteel.connectors.kafka.client.summary import REASONS_ZH, SUMMARIES
from firesteel.options.option import Side

_SIDES = {Role.CONSUMER: Side.SOURCE, Role.PRODUCER: Side.SINK}


def client_reference() -> ClientReference:
    settings, idle, refused = [], [], []
    for name, treated in PROPERTIES.items():
        match treated:
            case Passed():
                side = _SIDES.get(treated.role, Side.BOTH)
                settings.append(ClientSetting(name, SUMMARIES[name], side, treated.kind, treated.to or ""))
            case Gathered():
                settings.append(ClientSetting(name, SUMMARIES[name]))
            case Ignored() if name in SUMMARIES:
                settings.append(ClientSetting(name, SUMMARIES[name], Side.SOURCE))
            case Ignored(reason=reason):
                idle.append(UnusedSetting(name, None if reason is None else _sentences(reason)))
            case Refused(reason=reason):
                refused.append(UnusedSetting(name, _sentences(reason)))
    return ClientReference(
        "librdkafka",
        ("Kafka client settings", "Kafka 客户端设置"),
        (
            "What `properties.*` of a table may set. Java's names are taken and translated; a setting that is not given has "
            "librdkafka's default. A setting that is not on this page is refused: it could run code or read files for "
            "whoever wrote the script.",
            "表的 `properties.*` 可以设置的内容。使用 Java 客户端的名称，自动转换；未设置时采用 librdkafka 的默认值。"
            "本页未列出的设置会被拒绝，因为它们可能让脚本作者执行代码或读取文件。",
        ),
        tuple(settings),
        tuple(idle),
        tuple(refused),
    )


def _sentences(reason: str) -> Text:
    return f"{reason[:1].upper()}{reason[1:]}.", f"{REASONS_ZH[reason]}。"
