"""Makes the tables of the reference from the rows that validation reads, in English and Chinese.

`firesteel options` prints them; the pages under `docs/reference/` are the same in Markdown.

>>> [page.name for page in pages()][:3]
['kafka', 'upsert-kafka', 'dynamic-kafka']
>>> str(page_named("json").tables[0].rows[0][0].en)
'`json.fail-on-missing-field`'
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Any, NamedTuple

from firesteel.cli.reference.language import Text
from firesteel.connectors.builtin import CONNECTORS, client_references
from firesteel.connectors.client_reference import ClientReference, UnusedSetting
from firesteel.connectors.spec import ConnectorSpec
from firesteel.formats.builtin import FORMATS
from firesteel.formats.spec import FormatSpec
from firesteel.options import legacy, setting
from firesteel.options.kind import EnumKind
from firesteel.options.metadata import MetadataKey, Write
from firesteel.options.option import Alias, Dialect, Option, Side
from firesteel.options.rule import Rule


class Column(NamedTuple):
    """A column of a table. `bare`: the cell makes sense without the column's title."""

    title: Text
    bare: bool = True


@dataclass(frozen=True)
class Table:
    """A table. Its first column has the name, the last one a sentence that describes it."""

    title: Text
    columns: tuple[Column, ...]
    rows: tuple[tuple[Text, ...], ...]


@dataclass(frozen=True)
class Page:
    name: str
    title: Text
    intro: Text
    tables: tuple[Table, ...]
    rules: tuple[Text, ...] = ()


OPTION_COLUMNS = (
    Column(Text("option", "选项")),
    Column(Text("type", "类型")),
    Column(Text("default", "默认值"), bare=False),
    Column(Text("applies to", "适用于")),
    Column(Text("other spellings", "其他写法"), bare=False),
    Column(Text("meaning", "说明")),
)
METADATA_COLUMNS = (
    Column(Text("key", "键")),
    Column(Text("type", "类型")),
    Column(Text("access", "读写")),
    Column(Text("meaning", "说明")),
)
CLIENT_COLUMNS = (
    Column(Text("setting", "设置")),
    Column(Text("type", "类型")),
    Column(Text("client", "客户端")),
    Column(Text("meaning", "说明")),
)
REASON_COLUMNS = (Column(Text("setting", "设置")), Column(Text("reason", "原因")))

_NOTHING = Text("", "")
REQUIRED = Text("required", "必填")
_NO_DEFAULT = Text("none", "无")

_KINDS = {
    "String": "字符串",
    "Format": "格式",
    "Boolean": "布尔",
    "Integer": "整数",
    "Long": "长整数",
    "Duration": "时长",
    "MemorySize": "内存大小",
    "Enum": "枚举",
    "List": "列表",
    "Offsets": "位点",
    "Character": "字符",
    "Pattern": "正则表达式",
    "Header filter": "消息头条件",
    "Partitioner": "分区器",
    "URL": "地址",
    "Charset": "字符集",
    "Time zone": "时区",
}
_SIDES = {
    Side.SOURCE: Text("source", "源表"),
    Side.SINK: Text("sink", "结果表"),
    Side.BOTH: Text("source and sink", "源表和结果表"),
}
_CLIENT_SIDES = {
    Side.SOURCE: Text("reading", "读取"),
    Side.SINK: Text("writing", "写入"),
    Side.BOTH: Text("reading and writing", "读取和写入"),
}
_WRITES = {
    Write.NEVER: Text("read-only", "只读"),
    Write.ALWAYS: Text("readable and writable", "可读写"),
    Write.SEVERAL_TOPICS: Text("writable when the table has several topics", "表有多个主题时可写"),
}


def pages() -> tuple[Page, ...]:
    return (
        *(_connector(spec) for spec in CONNECTORS),
        _dli(),
        *(_format(spec) for spec in FORMATS),
        _settings(),
        *map(_client, client_references()),
        _metadata(),
    )


def page_named(name: str) -> Page:
    return next(page for page in pages() if page.name == name)


def _connector(spec: ConnectorSpec) -> Page:
    more = _NOTHING
    if spec.client_reference:
        more = Text(
            " The options of its formats, the Kafka client's settings (`properties.*`) and the metadata keys have pages of"
            " their own.",
            "格式选项、Kafka 客户端设置（`properties.*`）和元数据键见各自的页面。",
        )
    return Page(
        spec.name,
        Text(f"The connector {spec.name}", f"连接器 {spec.name}"),
        Text(
            f"The options of a table with `'connector' = '{spec.name}'`.{more.en}",
            f"`'connector' = '{spec.name}'` 表的选项。{more.zh}",
        ),
        (_options(spec.rows),),
        tuple(_sentence(rule) for rule in spec.rules),
    )


def _format(spec: FormatSpec) -> Page:
    name = spec.name
    prefix = f"{name}."
    return Page(
        name,
        Text(f"The format {name}", f"格式 {name}"),
        Text(
            f"The options of a table with `'format' = '{name}'`. With `'value.format' = '{name}'` they begin with "
            f"`value.{prefix}`, with `'key.format' = '{name}'` with `key.{prefix}`.",
            f"`'format' = '{name}'` 表的选项。使用 `'value.format' = '{name}'` 时以 `value.{prefix}` 开头，"
            f"使用 `'key.format' = '{name}'` 时以 `key.{prefix}` 开头。",
        ),
        (_options(spec.rows, prefix),),
        tuple(_sentence(rule, prefix) for rule in spec.rules),
    )


def _dli() -> Page:
    return Page(
        "dli",
        Text("Only in the old dialects", "仅旧方言中的选项"),
        Text(
            "The options that only tables with `'connector.type'` have: Huawei DLI's and Flink 1.10's. All their other "
            "names are other spellings of the options on the pages of the connectors and formats; `connector.properties.*` "
            "is `properties.*`, also in the form `connector.properties.0.key` and `connector.properties.0.value`.",
            "只有 `'connector.type'` 表（华为 DLI 和 Flink 1.10）才有的选项。其余旧名称见连接器和格式页面的“其他写法”；"
            "`connector.properties.*` 即 `properties.*`，也可写成 `connector.properties.0.key` 和 "
            "`connector.properties.0.value`。",
        ),
        (_options(legacy.ROWS),),
    )


def _settings() -> Page:
    older: dict[str, list[Alias]] = {}
    for name, now in setting.RENAMED.items():
        older.setdefault(now, []).append(Alias(name, Dialect.FLINK))
    return Page(
        "settings",
        Text("Settings", "作业设置"),
        Text(
            "What `SET 'key' = 'value';` understands, and `--set key=value` on the command line. `spark.*` goes to Spark: from a script what tunes it, from the command line all. "
            "Flink's settings about its own machinery (`taskmanager.*`, `restart-strategy*` …) are read and have no effect.",
            "`SET 'key' = 'value';` 以及命令行 `--set key=value` 支持的设置。`spark.*` 会传给 Spark：脚本中仅限调优参数，命令行中不受限制。"
            "与 Flink 自身运行机制有关的设置（`taskmanager.*`、`restart-strategy*` 等）仅接受而不起作用。",
        ),
        (_options(setting.ROWS, older=older, settings=True),),
    )


def _client(reference: ClientReference) -> Page:
    settings = tuple(
        (
            Text.same(f"`properties.{one.name}`"),
            _kind(one.kind),
            _CLIENT_SIDES[one.side],
            Text.same(f"`{one.client_name}`") if one.client_name else _NOTHING,
            Text(*one.summary),
        )
        for one in reference.settings
    )
    named = Column(Text(f"{reference.client}'s name", f"{reference.client} 中的名称"), bare=False)
    columns = (*CLIENT_COLUMNS[:-1], named, CLIENT_COLUMNS[-1])
    return Page(
        "properties",
        Text(*reference.title),
        Text(*reference.intro),
        (
            Table(Text("Can be set", "可以设置"), columns, settings),
            Table(
                Text("Read and without effect", "接受但不起作用"), REASON_COLUMNS, tuple(map(_unused, reference.idle))
            ),
            Table(Text("Refused", "拒绝"), REASON_COLUMNS, tuple(map(_unused, reference.refused))),
        ),
    )


def _unused(one: UnusedSetting) -> tuple[Text, Text]:
    reason = one.reason or ("Nothing here depends on it.", "此处没有任何功能依赖该设置。")
    return Text.same(f"`properties.{one.name}`"), Text(*reason)


def _metadata() -> Page:
    connectors = Table(
        Text("Of kafka and upsert-kafka tables", "kafka 和 upsert-kafka 表"),
        METADATA_COLUMNS,
        tuple(_metadata_row(key) for key in CONNECTORS[0].metadata),
    )
    formats = tuple(
        Table(
            Text(f"Of tables with the value format {spec.name}", f"值格式为 {spec.name} 的表"),
            METADATA_COLUMNS,
            tuple(_metadata_row(key, "value.") for key in spec.metadata),
        )
        for spec in FORMATS
        if spec.metadata
    )
    return Page(
        "metadata",
        Text("Metadata columns", "元数据列"),
        Text(
            "What a column declared as `name TYPE METADATA FROM 'key'` holds. Add `VIRTUAL` to a column that is not "
            "written by an INSERT.",
            "以 `name TYPE METADATA FROM 'key'` 声明的列的内容。不由 INSERT 写入的列需要加 `VIRTUAL`。",
        ),
        (connectors, *formats),
    )


def _options(
    rows: Iterable[Option[Any]],
    prefix: str = "",
    older: dict[str, list[Alias]] | None = None,
    settings: bool = False,
) -> Table:
    shown = []
    for row in rows:
        aliases = (*row.aliases, *(older or {}).get(row.key, ()))
        side = Text("the job", "作业") if settings else _SIDES[row.side]
        if row.dialect is Dialect.FIRESTEEL:
            side = Text(f"{side.en}; not in Flink", f"{side.zh}；Flink 没有")
        shown.append(
            (
                Text.same(f"`{prefix}{row.key}`"),
                _kind(row.kind),
                REQUIRED if row.required else _default(row.default),
                side,
                _spellings(aliases, prefix),
                Text(row.summary, row.summary_zh),
            )
        )
    return Table(Text("Options", "选项"), OPTION_COLUMNS, tuple(shown))


def _metadata_row(key: MetadataKey, prefix: str = "") -> tuple[Text, ...]:
    return (
        Text.same(f"`{prefix}{key.key}`"),
        Text.same(f"`{key.type}`"),
        _WRITES[key.write],
        Text(key.summary, key.summary_zh),
    )


def _kind(kind: object) -> Text:
    named = _kind_named(str(getattr(kind, "name", "String")))
    if not isinstance(kind, EnumKind):
        return named
    texts = ", ".join(f"`{text}`" for text in kind.texts)
    return Text(f"{named.en}: {texts}", f"{named.zh}：{texts}")


def _kind_named(name: str) -> Text:
    return Text(name, _KINDS[name])


def _default(value: object) -> Text:
    text = render_default(value)
    if text is None:
        return _NO_DEFAULT
    return Text.same(f"`{text}`") if text else Text("empty", "空")


def render_default(value: object) -> str | None:
    """Prints a default as a script would write it.

    >>> render_default(timedelta(minutes=5)), render_default(False)
    ('5 min', 'false')
    """
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case Enum():
            return str(value.value)
        case timedelta():
            return _render_duration(value)
        case _:
            return str(value)


def _render_duration(length: timedelta) -> str:
    millis = length // timedelta(milliseconds=1)
    for size, unit in ((60_000, "min"), (1000, "s"), (1, "ms")):
        if millis and millis % size == 0:
            return f"{millis // size} {unit}"
    return "0 s"


def _spellings(aliases: Iterable[Alias], prefix: str) -> Text:
    shown = []
    for alias in aliases:
        # A name in an old dialect is complete. In today's dialect, a format's other name takes the format's prefix.
        name = alias.key if alias.dialect.is_old else f"{prefix}{alias.key}"
        shown.append(f"`{name}`" + (f" ({alias.dialect.value})" if alias.dialect.is_old else ""))
    return Text.same(", ".join(shown))


def _sentence(rule: Rule, prefix: str = "") -> Text:
    return Text(*rule.describe(lambda option: f"`{prefix}{option.key}`"))
