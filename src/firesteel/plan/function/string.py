"""Functions over text and bytes, hashes among them."""

from __future__ import annotations

from firesteel.plan.function.signature import (
    ANY,
    BYTES,
    BYTES_OR_TEXT,
    TEXT,
    WHOLE,
    ArgumentError,
    Arguments,
    Function,
    Parameter,
    Rule,
    all_like_result,
    any_nullable,
    common,
    gives,
    like_first,
    literal_value,
    may_give,
    varying_first,
    varying_first_or_null,
)
from firesteel.types import (
    APPROXIMATE,
    BINARY,
    CHARACTER,
    INTEGER,
    MAX_LENGTH,
    STRING,
    Array,
    BigInt,
    Boolean,
    Char,
    DataType,
    Int,
    Map,
    Varchar,
)
from firesteel.types import (
    BYTES as BYTE_STRING,
)

_CHARSETS = ("US-ASCII", "ISO-8859-1", "UTF-8", "UTF-16BE", "UTF-16LE", "UTF-16")
_URL_PARTS = ("HOST", "PATH", "QUERY", "REF", "PROTOCOL", "AUTHORITY", "FILE", "USERINFO")

_SEPARATOR = Parameter("text or the number of a character", (*CHARACTER, *INTEGER))
_HEXADECIMAL = Parameter("text or a whole number", (*CHARACTER, *INTEGER))
_PRINTED = Parameter(
    "text, whole or floating point numbers or conditions", (*CHARACTER, *INTEGER, *APPROXIMATE, Boolean)
)


def _one_of(values: tuple[str, ...], position: int, rule: Rule) -> Rule:
    """Adds a check to the rule: a literal at that position has to be one of the values. Others are checked at run time."""

    def checked(args: Arguments) -> DataType:
        given = literal_value(args, position)
        if isinstance(given, str) and given.upper() not in values:
            raise ArgumentError(f"takes one of {', '.join(values)}")
        return rule(args)

    return checked


def _overlaid(args: Arguments) -> DataType:
    lengths = [arg.type.length if isinstance(arg.type, CHARACTER) else MAX_LENGTH for arg in args[:2]]
    return Varchar(min(sum(lengths), MAX_LENGTH), nullable=any_nullable(args))


def _hash_length(args: Arguments) -> DataType:
    length = literal_value(args, 1)
    if isinstance(length, int) and length not in (224, 256, 384, 512):
        raise ArgumentError("takes 224, 256, 384 or 512 for the length of its result")
    return Varchar(128, nullable=any_nullable(args))


def _same_kind(args: Arguments) -> DataType:
    texts = [isinstance(arg.type, CHARACTER) for arg in args]
    binaries = [isinstance(arg.type, BINARY) for arg in args]
    if any(texts) and any(binaries):
        raise ArgumentError("takes two texts or two values of bytes")
    return Boolean(nullable=any_nullable(args))


def _chosen(args: Arguments) -> DataType:
    return common(args[1:]).with_nullable(True)


def _chosen_arguments(args: Arguments, result: DataType) -> Arguments:
    return (args[0], *all_like_result(args[1:], result))


STRING_FUNCTIONS: tuple[Function, ...] = (
    Function("ASCII", (TEXT,), gives(Int())),
    Function("BTRIM", (TEXT, TEXT), gives(STRING), optional=1),
    Function("CHAR_LENGTH", (TEXT,), gives(Int())),
    Function("CHR", (WHOLE,), may_give(STRING)),
    Function("CONCAT", (TEXT,), gives(STRING), repeats=True),
    Function("CONCAT_WS", (TEXT, TEXT), gives(STRING), optional=1, repeats=True),
    Function("DECODE", (BYTES, TEXT), _one_of(_CHARSETS, 1, gives(STRING))),
    Function("ELT", (WHOLE, BYTES_OR_TEXT), _chosen, repeats=True, fit=_chosen_arguments),
    Function("ENCODE", (TEXT, TEXT), _one_of(_CHARSETS, 1, gives(BYTE_STRING))),
    Function("ENDSWITH", (BYTES_OR_TEXT, BYTES_OR_TEXT), _same_kind),
    Function("FROM_BASE64", (BYTES_OR_TEXT,), gives(STRING)),
    Function("INET_ATON", (TEXT,), may_give(BigInt())),
    Function("INET_NTOA", (WHOLE,), may_give(STRING)),
    Function("INITCAP", (TEXT,), like_first),
    Function("INSTR", (TEXT, TEXT), gives(Int())),
    Function("LEFT", (TEXT, WHOLE), varying_first_or_null),
    Function("LOCATE", (TEXT, TEXT, WHOLE), gives(Int()), optional=1),
    Function("LOWER", (TEXT,), like_first),
    Function("LPAD", (TEXT, WHOLE, TEXT), may_give(STRING)),
    Function("LTRIM", (TEXT, TEXT), varying_first, optional=1),
    Function("OVERLAY", (TEXT, TEXT, WHOLE, WHOLE), _overlaid, optional=1),
    Function("PARSE_URL", (TEXT, TEXT, TEXT), _one_of(_URL_PARTS, 1, may_give(STRING)), optional=1),
    Function("POSITION", (TEXT, TEXT), gives(Int())),
    Function("PRINTF", (TEXT, _PRINTED), may_give(STRING), optional=1, repeats=True),
    Function("REGEXP", (TEXT, TEXT), gives(Boolean())),
    Function("REGEXP_COUNT", (TEXT, TEXT), may_give(Int())),
    Function("REGEXP_EXTRACT", (TEXT, TEXT, WHOLE), may_give(STRING), optional=1),
    Function("REGEXP_EXTRACT_ALL", (TEXT, TEXT, WHOLE), may_give(Array(STRING)), optional=1),
    Function("REGEXP_INSTR", (TEXT, TEXT), may_give(Int())),
    Function("REGEXP_REPLACE", (TEXT, TEXT, TEXT), gives(STRING)),
    Function("REGEXP_SUBSTR", (TEXT, TEXT), may_give(STRING)),
    Function("REPEAT", (TEXT, WHOLE), gives(STRING)),
    Function("REPLACE", (TEXT, TEXT, TEXT), gives(STRING)),
    Function("REVERSE", (TEXT,), may_give(STRING)),
    Function("RIGHT", (TEXT, WHOLE), varying_first_or_null),
    Function("RPAD", (TEXT, WHOLE, TEXT), may_give(STRING)),
    Function("RTRIM", (TEXT, TEXT), varying_first, optional=1),
    Function("SPLIT", (TEXT, TEXT), gives(Array(STRING))),
    Function("SPLIT_INDEX", (TEXT, _SEPARATOR, WHOLE), may_give(STRING)),
    Function("STARTSWITH", (BYTES_OR_TEXT, BYTES_OR_TEXT), _same_kind),
    Function("STR_TO_MAP", (TEXT, TEXT, TEXT), may_give(Map(STRING, STRING)), optional=2),
    Function("SUBSTRING", (TEXT, WHOLE, WHOLE), varying_first_or_null, optional=1),
    Function("TO_BASE64", (BYTES_OR_TEXT,), gives(STRING)),
    Function("TRANSLATE", (TEXT, TEXT, TEXT), may_give(STRING)),
    Function("TRIM", (TEXT,), varying_first),
    Function("TRIM BOTH", (TEXT, TEXT), varying_first),
    Function("TRIM LEADING", (TEXT, TEXT), varying_first),
    Function("TRIM TRAILING", (TEXT, TEXT), varying_first),
    Function("UPPER", (TEXT,), like_first),
    Function("URL_DECODE", (TEXT,), may_give(STRING)),
    Function("URL_ENCODE", (TEXT,), may_give(STRING)),
    Function("UUID", (), lambda args: Char(36, nullable=False)),
)

HASH_FUNCTIONS: tuple[Function, ...] = (
    Function("MD5", (BYTES_OR_TEXT,), gives(Char(32))),
    Function("SHA1", (BYTES_OR_TEXT,), gives(Char(40))),
    Function("SHA224", (BYTES_OR_TEXT,), gives(Char(56))),
    Function("SHA256", (BYTES_OR_TEXT,), gives(Char(64))),
    Function("SHA384", (BYTES_OR_TEXT,), gives(Char(96))),
    Function("SHA512", (BYTES_OR_TEXT,), gives(Char(128))),
    Function("SHA2", (BYTES_OR_TEXT, WHOLE), _hash_length),
    Function("HEX", (_HEXADECIMAL,), gives(STRING)),
    Function("UNHEX", (TEXT,), may_give(BYTE_STRING)),
    Function("BIN", (WHOLE,), gives(STRING)),
    Function("TYPEOF", (ANY,), lambda args: STRING.not_null()),
)
