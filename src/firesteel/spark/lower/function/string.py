"""Lowers the functions over text, with Flink's results at the edges."""

from __future__ import annotations

import re

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.plan.expression import Call
from firesteel.spark.internals import active_jvm
from firesteel.spark.lower.function import code_unit
from firesteel.spark.lower.function.form import Translation, literal, nothing, plain, spark, typed, when_all
from firesteel.types import BINARY, CHARACTER, INTEGER


def _substring(call: Call, args: list[Column]) -> Column:
    """Lowers SUBSTRING. A start before the text gives an empty text and a negative length gives NULL, unlike in Spark."""
    text, start, *rest = args
    plain_part = F.substring(text, start, rest[0]) if rest else F.substr(text, start)
    position, length = literal(call, 1), literal(call, 2)
    part = plain_part
    if not isinstance(position, int) or position < 0:
        part = F.when(start < -F.char_length(text), _when_known(text, "")).otherwise(plain_part)
    if rest and (not isinstance(length, int) or length < 0):
        part = F.when(rest[0] < 0, nothing(call.type)).otherwise(part)
    return part


def _when_known(text: Column, value: str) -> Column:
    return F.when(text.isNotNull(), F.lit(value))


def _overlay(call: Call, args: list[Column]) -> Column:
    text, other, start = args[:3]
    length = args[3] if len(args) == 4 else F.char_length(other)
    made = _overlaid(text, other, start, length)
    units = code_unit.of(text), code_unit.of(other)
    size = args[3] if len(args) == 4 else code_unit.length(units[1])
    exact = code_unit.text(_overlaid_units(*units, start, size))
    return when_all(args, F.when(code_unit.is_wide(text, other), exact).otherwise(made))


def _overlaid(text: Column, other: Column, start: Column, length: Column) -> Column:
    tail = F.when(
        (start + length <= F.char_length(text)) & (length > 0), F.substr(text, (start + length).cast("int"))
    ).otherwise(F.lit(""))
    overlaid = F.concat(F.substring(text, F.lit(1), (start - 1).cast("int")), other, tail)
    outside = (start <= 0) | (start > F.char_length(text))
    return F.when(outside, text).otherwise(overlaid)


def _overlaid_units(text: Column, other: Column, start: Column, size: Column) -> Column:
    known = code_unit.length(text)
    tail = F.when((start + size <= known) & (size > 0), code_unit.part(text, start + size, known)).otherwise(F.lit(""))
    overlaid = F.concat(code_unit.part(text, F.lit(1), start - 1), other, tail)
    return F.when((start <= 0) | (start > known), text).otherwise(overlaid)


def _padded(side: str) -> Translation:
    def translate(call: Call, args: list[Column]) -> Column:
        text, length, filler = args
        units = code_unit.of(text), (length * code_unit.SIZE).cast("int"), code_unit.of(filler)
        exact = code_unit.text(F.call_function(side, *units))
        padded = F.when(code_unit.is_wide(text, filler), exact).otherwise(F.call_function(side, *args))
        return F.when((length < 0) | (filler == ""), nothing(call.type)).otherwise(padded)

    return translate


def _initial_capitals(call: Call, args: list[Column]) -> Column:
    """Lowers INITCAP. A word is a run of ASCII letters and digits; other characters do not change."""
    pieces = F.regexp_extract_all(args[0], F.lit("[A-Za-z0-9]+|[^A-Za-z0-9]+"), F.lit(0))
    capitalised = F.transform(
        pieces,
        lambda piece: F.when(
            F.rlike(piece, F.lit("^[A-Za-z0-9]")),
            F.concat(F.upper(F.substring(piece, 1, 1)), F.lower(F.substr(piece, F.lit(2)))),
        ).otherwise(piece),
    )
    return F.array_join(capitalised, "")


def _replace(call: Call, args: list[Column]) -> Column:
    if literal(call, 1):
        return F.replace(*args)
    # Java finds the empty text around every character, Spark finds it nowhere.
    everywhere = F.regexp_replace(args[0], F.lit(""), _quoted_replacement(args[2]))
    return F.when(args[1] == "", everywhere).otherwise(F.replace(*args))


def _quoted_replacement(text: Column) -> Column:
    """Escapes dollars and backslashes in a replacement."""
    return F.regexp_replace(text, F.lit(r"([\\$])"), F.lit(r"\\$1"))


def _with_regex(translate: Translation) -> Translation:
    """Wraps a function to give NULL if the regular expression is not valid."""
    return lambda call, args: translate(call, args) if _is_regex(literal(call, 1)) else nothing(call.type)


def _regexp(call: Call, args: list[Column]) -> Column:
    text, regex = args
    if not _is_regex(literal(call, 1)):
        return F.when(text.isNotNull(), F.lit(False))
    return F.when(regex == "", F.lit(False)).otherwise(F.rlike(text, regex))


def _is_regex(pattern: object) -> bool:
    """Checks whether Java accepts the regular expression. One that is not a literal is accepted here."""
    if not isinstance(pattern, str):
        return True
    try:
        active_jvm().java.util.regex.Pattern.compile(pattern)
    except (Py4JJavaError, PySparkException):
        return False
    return True


def _regexp_replace(call: Call, args: list[Column]) -> Column:
    given = literal(call, 2)
    replacement = F.lit(re.sub(r"([\\$])", r"\\\1", given)) if isinstance(given, str) else _quoted_replacement(args[2])
    return F.regexp_replace(args[0], args[1], replacement)


def _regexp_extract(call: Call, args: list[Column]) -> Column:
    """Lowers REGEXP_EXTRACT: the whole match if no group is given, NULL if nothing matches."""
    text, regex = args[:2]
    group = args[2] if len(args) == 3 else F.lit(0)
    pattern, number = literal(call, 1), literal(call, 2)
    if isinstance(pattern, str) and isinstance(number, int) and not 0 <= number <= _groups(pattern):
        return nothing(call.type)
    return F.when(F.rlike(text, regex), F.call_function("regexp_extract", text, regex, group))


def _regexp_instr(call: Call, args: list[Column]) -> Column:
    position = F.call_function("regexp_instr", *args)
    before = F.substring(args[0], F.lit(1), position - 1)
    units = F.when(position > 0, code_unit.length(code_unit.of(before)).cast("int") + 1).otherwise(position)
    return F.when(code_unit.is_wide(args[0]), units).otherwise(position)


def _groups(pattern: str) -> int:
    """Counts the capturing groups of a regular expression in Java's dialect."""
    bare = re.sub(r"\\Q.*?(?:\\E|$)|\\.|\[(?:\\.|[^\]\\])*\]", "", pattern, flags=re.DOTALL)
    return len(re.findall(r"\((?!\?)|\(\?<(?![=!])", bare))


def _split_index(call: Call, args: list[Column]) -> Column:
    text, separator, index = args
    if isinstance(call.args[1].type, INTEGER):
        separator = F.when((separator >= 1) & (separator <= 255), F.chr(separator))
    # An empty separator splits at blanks; an empty text has no parts.
    parts = F.when(separator == "", F.split(text, r"\s", -1)).otherwise(F.split(text, _exactly(separator), -1))
    return F.when(text != "", F.get(parts, index))


def _exactly(text: Column) -> Column:
    """Makes a regular expression that matches just this text."""
    return F.concat(F.lit(r"\Q"), F.replace(text, F.lit(r"\E"), F.lit(r"\E\\E\Q")), F.lit(r"\E"))


def _split(call: Call, args: list[Column]) -> Column:
    text, separator = args
    characters = F.regexp_extract_all(text, F.lit("(?s)."), F.lit(0))
    halves = F.transform(code_unit.each(text), code_unit.text)
    characters = F.when(code_unit.is_wide(text), halves).otherwise(characters)
    return F.when(separator == "", characters).otherwise(F.split(text, _exactly(separator), -1))


def _str_to_map(call: Call, args: list[Column]) -> Column:
    """Lowers STR_TO_MAP. Empty pairs at the end are dropped, as Java's split does."""
    text = args[0]
    between = args[1] if len(args) > 1 else F.lit(",")
    within = args[2] if len(args) > 2 else F.lit("=")
    ended = F.regexp_replace(text, F.concat(F.lit("(?:"), between, F.lit(")+$")), F.lit(""))
    empty = F.map_from_arrays(F.array().cast("array<string>"), F.array().cast("array<string>"))
    filled = F.call_function("str_to_map", ended, between, within)
    return when_all([text, between, within], F.when(text == "", empty).otherwise(filled))


_URL = r"(?s)\A([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?\z"
#: The protocols that java.net.URL accepts.
_PROTOCOLS = r"(?i)\A(?:https?|ftp|file|jar|mailto):"


def _parse_url(call: Call, args: list[Column]) -> Column:
    url, part = args[:2]

    def group(number: int) -> Column:
        return F.regexp_extract(url, _URL, number)

    query = F.when(F.rlike(url, F.lit(r"\A[^#]*\?")), group(4))
    reference = F.when(F.rlike(url, F.lit("#")), group(5))
    authority = group(2)
    host = F.regexp_replace(authority, F.lit(r"\A.*@|:\d*\z"), F.lit(""))
    user = F.when(F.contains(authority, F.lit("@")), F.regexp_replace(authority, F.lit(r"@[^@]*\z"), F.lit("")))
    file = F.concat(group(3), F.coalesce(F.concat(F.lit("?"), query), F.lit("")))
    found = F.when(part == "HOST", host)
    for name, value in (
        ("PATH", group(3)),
        ("QUERY", query),
        ("REF", reference),
        ("PROTOCOL", F.lower(group(1))),
        ("FILE", file),
        ("AUTHORITY", F.nullif(authority, F.lit(""))),
        ("USERINFO", user),
    ):
        found = found.when(part == name, value)
    good = F.rlike(url, F.lit(_PROTOCOLS)) & F.rlike(url, F.lit(_URL))
    if len(args) == 2:
        return F.when(good, found)
    key = F.concat(F.lit("(?:&|^)"), _exactly(args[2]), F.lit("=([^&]*)"))
    value = F.when(F.rlike(query, key), F.call_function("regexp_extract", query, key, F.lit(1)))
    return F.when(good & (part == "QUERY"), value)


def _ascii(call: Call, args: list[Column]) -> Column:
    """Lowers ASCII: the first byte, as a signed number."""
    byte = F.conv(F.hex(F.substring(args[0].cast("binary"), 1, 1)), 16, 10).cast("int")
    return F.when(args[0] == "", F.lit(0)).otherwise(F.when(byte > 127, byte - 256).otherwise(byte))


def _locate(call: Call, args: list[Column]) -> Column:
    start = F.greatest(args[2], F.lit(1)).cast("int") if len(args) == 3 else F.lit(1)
    return when_all(args, F.call_function("locate", args[0], args[1], start))


def _elt(call: Call, args: list[Column]) -> Column:
    return F.get(F.array(*args[1:]), (args[0] - 1).cast("int"))


def _translate(call: Call, args: list[Column]) -> Column:
    text, source, target = args
    changed = F.call_function("translate", text, source, F.coalesce(target, F.lit("")))
    return F.when(source.isNull() | (source == ""), text).otherwise(changed)


def _from_base64(call: Call, args: list[Column]) -> Column:
    text = args[0].cast("string") if isinstance(call.args[0].type, BINARY) else args[0]
    return F.unbase64(text).cast("string")


def _to_base64(call: Call, args: list[Column]) -> Column:
    return F.base64(args[0].cast("binary"))


def _hashed(bits: int) -> Translation:
    return lambda call, args: F.sha2(args[0].cast("binary"), bits)


def _sha2(call: Call, args: list[Column]) -> Column:
    return F.call_function("sha2", args[0].cast("binary"), args[1])


def _inet_aton(call: Call, args: list[Column]) -> Column:
    """Lowers INET_ATON. `a.b` is a.0.0.b, and `a.b.c` is a.b.0.c."""
    numbers = F.transform(F.split(args[0], r"\.", -1), lambda part: part.cast("bigint"))
    first = F.get(numbers, F.lit(0))
    last = F.get(numbers, F.size(numbers) - 1)
    second = F.when(F.size(numbers) >= 3, F.get(numbers, F.lit(1))).otherwise(F.lit(0))
    third = F.when(F.size(numbers) == 4, F.get(numbers, F.lit(2))).otherwise(F.lit(0))
    total = F.when(F.size(numbers) == 1, last).otherwise(((first * 256 + second) * 256 + third) * 256 + last)
    small = ~F.exists(numbers, lambda number: number > 255)
    return F.when(F.rlike(args[0], F.lit(r"\A\d{1,3}(?:\.\d{1,3}){1,3}\z")), F.when(small, total))


def _inet_ntoa(call: Call, args: list[Column]) -> Column:
    number = args[0].cast("bigint")
    parts = [F.shiftright(number, bits).bitwiseAND(F.lit(255)).cast("string") for bits in (24, 16, 8, 0)]
    return F.when((number >= 0) & (number <= 4_294_967_295), F.concat_ws(".", *parts))


def _is_like(regex: str, numbers: bool, fractions: bool) -> Translation:
    """Checks a text against a regular expression, and answers for numbers by their type. The answer for NULL is FALSE."""

    def translate(call: Call, args: list[Column]) -> Column:
        given = call.args[0].type
        if isinstance(given, CHARACTER):
            return F.coalesce(F.rlike(args[0], F.lit(regex)), F.lit(False))
        fits = numbers if isinstance(given, INTEGER) else fractions
        return args[0].isNotNull() & F.lit(fits)

    return translate


_JAVA_NUMBER = (
    r"\A[\x00-\x20]*[+-]?(?:NaN|Infinity|(?:\p{Nd}+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?"
    r"|0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?\d+[fFdD]?)[\x00-\x20]*\z"
)

STRING_TRANSLATIONS: dict[str, Translation] = {
    "ASCII": _ascii,
    "BTRIM": spark("btrim"),
    "CHAR_LENGTH": plain(F.char_length),
    "CHR": spark("chr"),
    "CONCAT": plain(F.concat),
    "CONCAT_WS": spark("concat_ws"),
    "DECODE": spark("decode"),
    "ELT": _elt,
    "ENCODE": spark("encode"),
    "ENDSWITH": plain(F.endswith),
    "FROM_BASE64": _from_base64,
    "INET_ATON": _inet_aton,
    "INET_NTOA": _inet_ntoa,
    "INITCAP": _initial_capitals,
    "INSTR": spark("instr"),
    "LEFT": spark("left"),
    "LOCATE": _locate,
    "LOWER": plain(F.lower),
    "LPAD": _padded("lpad"),
    "LTRIM": plain(F.ltrim),
    "OVERLAY": _overlay,
    "PARSE_URL": _parse_url,
    "POSITION": plain(lambda part, text: F.call_function("locate", part, text)),
    "PRINTF": spark("printf"),
    "REGEXP": _regexp,
    "REGEXP_COUNT": _with_regex(spark("regexp_count")),
    "REGEXP_EXTRACT": _with_regex(_regexp_extract),
    "REGEXP_EXTRACT_ALL": _with_regex(spark("regexp_extract_all")),
    "REGEXP_INSTR": _with_regex(_regexp_instr),
    "REGEXP_REPLACE": _with_regex(_regexp_replace),
    "REGEXP_SUBSTR": _with_regex(spark("regexp_substr")),
    "REPEAT": spark("repeat"),
    "REPLACE": _replace,
    "REVERSE": plain(F.reverse),
    "RIGHT": spark("right"),
    "RPAD": _padded("rpad"),
    "RTRIM": plain(F.rtrim),
    "SPLIT": _split,
    "SPLIT_INDEX": _split_index,
    "STARTSWITH": plain(F.startswith),
    "STR_TO_MAP": _str_to_map,
    "SUBSTRING": _substring,
    "TO_BASE64": _to_base64,
    "TRANSLATE": _translate,
    "TRIM": plain(F.trim),
    "TRIM BOTH": plain(F.trim),
    "TRIM LEADING": plain(F.ltrim),
    "TRIM TRAILING": plain(F.rtrim),
    "UPPER": plain(F.upper),
    "URL_DECODE": plain(F.try_url_decode),
    "URL_ENCODE": plain(F.url_encode),
    "UUID": lambda call, args: F.uuid(),
    "IS_ALPHA": _is_like(r"\A\p{L}+\z", False, False),
    "IS_DECIMAL": _is_like(_JAVA_NUMBER, True, True),
    "IS_DIGIT": _is_like(r"\A\p{Nd}+\z", True, False),
    "MD5": plain(lambda text: F.md5(text.cast("binary"))),
    "SHA1": plain(lambda text: F.sha1(text.cast("binary"))),
    "SHA224": _hashed(224),
    "SHA256": _hashed(256),
    "SHA384": _hashed(384),
    "SHA512": _hashed(512),
    "SHA2": _sha2,
    "HEX": plain(F.hex),
    "UNHEX": plain(F.unhex),
    "BIN": typed(lambda number: F.bin(number.cast("bigint"))),
    "TYPEOF": lambda call, args: F.lit(str(call.args[0].type)),
}
