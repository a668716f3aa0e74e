"""The options of `'format' = 'csv'`."""

from __future__ import annotations

from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.options.kind import BOOLEAN, CHARACTER, STRING, CharacterKind
from firesteel.options.option import Alias, Dialect, Option, Side

FIELD_DELIMITER = Option(
    "field-delimiter",
    CharacterKind(unescape=True),
    "The character between two columns; `\\t` and `\\u0001` are read as Java reads them.",
    "列分隔符；`\\t`、`\\u0001` 等按 Java 转义解析。",
    default=",",
    aliases=(Alias("format.field-delimiter", Dialect.DLI),),
)
DISABLE_QUOTE_CHARACTER = Option(
    "disable-quote-character",
    BOOLEAN,
    "Whether no value is quoted; then `quote-character` must not be set.",
    "是否禁用引号；启用时不能设置 `quote-character`。",
    default=False,
    aliases=(Alias("format.disable-quote-character", Dialect.LEGACY),),
)
QUOTE_CHARACTER = Option(
    "quote-character",
    CHARACTER,
    "The character around a value that holds the delimiter.",
    "包围字段值的引号字符。",
    default='"',
    aliases=(Alias("format.quote-character", Dialect.LEGACY),),
)
ALLOW_COMMENTS = Option(
    "allow-comments",
    BOOLEAN,
    "Whether a record that starts with `#` is a comment and gives no row.",
    "以 `#` 开头的记录是否视为注释而不产生行。",
    default=False,
    side=Side.SOURCE,
    aliases=(Alias("format.allow-comments", Dialect.LEGACY),),
)
ARRAY_ELEMENT_DELIMITER = Option(
    "array-element-delimiter",
    CHARACTER,
    "The character between the elements of an ARRAY and the fields of a ROW.",
    "ARRAY 元素及 ROW 字段之间的分隔符。",
    default=";",
    aliases=(Alias("format.array-element-delimiter", Dialect.LEGACY),),
)
ESCAPE_CHARACTER = Option(
    "escape-character",
    CHARACTER,
    "The character that takes its meaning from the next one.",
    "转义字符。",
    aliases=(Alias("format.escape-character", Dialect.LEGACY),),
)
NULL_LITERAL = Option(
    "null-literal",
    STRING,
    "The text that stands for NULL.",
    "表示 NULL 的文本。",
    aliases=(Alias("format.null-literal", Dialect.LEGACY),),
)
# Flink documents `true`, but writes plain numbers when the option is not set. Its behaviour decides.
WRITE_BIGDECIMAL_IN_SCIENTIFIC_NOTATION = Option(
    "write-bigdecimal-in-scientific-notation",
    BOOLEAN,
    "Whether DECIMAL is written as `1E+5` instead of `100000`.",
    "DECIMAL 是否写为科学计数法（`1E+5`）而不是普通数字（`100000`）。",
    default=False,
    side=Side.SINK,
)
TRIM_SPACES = Option(
    "trim-spaces",
    BOOLEAN,
    "Whether blanks around a value are taken off.",
    "是否去除字段值两端的空格。",
    default=False,
    side=Side.SOURCE,
)
IGNORE_TRAILING_UNMAPPABLE = Option(
    "ignore-trailing-unmappable",
    BOOLEAN,
    "Whether columns beyond the table's are left out instead of making the record bad.",
    "是否忽略超出表结构的多余列，而不视为坏记录。",
    default=False,
    side=Side.SOURCE,
)
ALLOW_TRAILING_COMMA = Option(
    "allow-trailing-comma",
    BOOLEAN,
    "Whether one delimiter after the last column is allowed.",
    "是否允许最后一列之后多一个分隔符。",
    default=True,
    side=Side.SOURCE,
)
FAIL_ON_MISSING_COLUMNS = Option(
    "fail-on-missing-columns",
    BOOLEAN,
    "Whether a record with too few columns is bad even where missing columns would be NULL.",
    "列数不足的记录是否一律视为坏记录。",
    default=False,
    side=Side.SOURCE,
)
EMPTY_STRING_AS_NULL = Option(
    "empty-string-as-null",
    BOOLEAN,
    "Whether an empty text is NULL.",
    "空字符串是否视为 NULL。",
    default=False,
    side=Side.SOURCE,
)

ROWS = (
    FIELD_DELIMITER,
    DISABLE_QUOTE_CHARACTER,
    QUOTE_CHARACTER,
    ALLOW_COMMENTS,
    IGNORE_PARSE_ERRORS,
    ARRAY_ELEMENT_DELIMITER,
    ESCAPE_CHARACTER,
    NULL_LITERAL,
    WRITE_BIGDECIMAL_IN_SCIENTIFIC_NOTATION,
    TRIM_SPACES,
    IGNORE_TRAILING_UNMAPPABLE,
    ALLOW_TRAILING_COMMA,
    FAIL_ON_MISSING_COLUMNS,
    EMPTY_STRING_AS_NULL,
)
