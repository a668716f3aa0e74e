"""A rule across options as a sentence of the reference.

>>> from firesteel.options import json
>>> rule_sentence(rule.NotBothTrue(json.FAIL_ON_MISSING_FIELD, json.IGNORE_PARSE_ERRORS, ""), "json.").en
'`json.fail-on-missing-field` and `json.ignore-parse-errors` cannot both be `true`.'
"""

from __future__ import annotations

from typing import Any

from firesteel.cli.reference.language import Text
from firesteel.options import rule
from firesteel.options.option import Option, Side


def rule_sentence(found: rule.Rule, prefix: str = "") -> Text:
    def name(option: Option[Any]) -> str:
        return f"`{prefix}{option.key}`"

    match found:
        case rule.RequiredWhen(option=option, value=value, needs=needs):
            first, second = f"{name(option)} = `{value.value}`", name(needs)
            return Text(f"{first} needs {second}.", f"{first} 时需要 {second}。")
        case rule.OneOf(options=options):
            names = [name(option) for option in options]
            return Text(f"{' or '.join(names)} is needed.", f"需要 {' 或 '.join(names)}。")
        case rule.Exclusive(first=one, second=other):
            return Text(
                f"{name(one)} and {name(other)} exclude each other.", f"{name(one)} 与 {name(other)} 不能同时使用。"
            )
        case rule.OnlyWith(option=option, needs=needs):
            return Text(f"{name(option)} needs {name(needs)}.", f"{name(option)} 需要 {name(needs)}。")
        case rule.OnlyWhen(option=option, needs=needs, value=value):
            second = f"{name(needs)} = `{value.value}`"
            return Text(f"{name(option)} needs {second}.", f"{name(option)} 需要 {second}。")
        case rule.NeverWith(option=option, text=text, other=other):
            first = f"{name(option)} = `{text}`"
            return Text(f"{first} does not go with {name(other)}.", f"{first} 不能与 {name(other)} 同时使用。")
        case rule.NotBothTrue(first=one, second=other):
            return Text(
                f"{name(one)} and {name(other)} cannot both be `true`.",
                f"{name(one)} 与 {name(other)} 不能同时为 `true`。",
            )
        case rule.NeverTrue(option=option, side=side):
            where = Text("read", "读取") if side is Side.SINK else Text("written", "写入")
            return Text(
                f"{name(option)} can be `true` only in a table that is {where.en}.",
                f"{name(option)} 只有在被{where.zh}的表中才能为 `true`。",
            )
        case rule.Together(first=one, second=other):
            return Text(
                f"{name(one)} and {name(other)} are above zero together, or neither is.",
                f"{name(one)} 与 {name(other)} 必须同时大于零或都不设置。",
            )
        case rule.OneTopicWhen(option=option, value=value):
            first = f"{name(option)} = `{value.value}`"
            return Text(f"{first} needs a table of one topic.", f"{first} 时表只能有一个主题。")
        case rule.AnotherTopic(option=option):
            return Text(
                f"{name(option)} is not one of the topics that the table reads.",
                f"{name(option)} 不能是该表读取的主题。",
            )
        case rule.PropertyWhen(option=option, value=value, name=property_name, allowed=allowed):
            first, values = f"{name(option)} = `{value.value}`", ", ".join(f"`{text}`" for text in allowed)
            return Text(
                f"With {first}, `properties.{property_name}` is one of {values}.",
                f"{first} 时 `properties.{property_name}` 只能是 {values}。",
            )
    raise TypeError(f"{type(found).__name__} has no sentence")
