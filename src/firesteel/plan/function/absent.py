"""Names functions that are not supported: Flink's, and those of other databases with their names in Flink."""

from __future__ import annotations

#: Flink's scalar functions, by the families of `plan/function/table.py`.
ABSENT_SCALARS: dict[str, tuple[str, ...]] = {
    "Dates and times": ("OVERLAPS", "SOURCE_WATERMARK"),
    "ARRAY, MAP and ROW": ("OBJECT_OF", "OBJECT_UPDATE"),
    "JSON": ("JSON_LENGTH", "JSON_TYPE", "PARSE_JSON", "TRY_PARSE_JSON"),
    "Hashes, encodings and types": (
        *("BITMAP_AND", "BITMAP_ANDNOT", "BITMAP_BUILD", "BITMAP_CARDINALITY", "BITMAP_FROM_BYTES", "BITMAP_OR"),
        *("BITMAP_TO_ARRAY", "BITMAP_TO_BYTES", "BITMAP_TO_STRING", "BITMAP_XOR"),
        *("HASH_CODE", "IS_VALID_UTF8", "MAKE_VALID_UTF8", "CURRENT_DATABASE"),
    ),
}

#: Flink's aggregates.
ABSENT_AGGREGATES: tuple[str, ...] = (
    *("APPROX_COUNT_DISTINCT", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "PERCENTILE"),
    *("BITMAP_AND_AGG", "BITMAP_BUILD_AGG", "BITMAP_BUILD_CARDINALITY_AGG", "BITMAP_OR_AGG"),
    *("BITMAP_OR_CARDINALITY_AGG", "BITMAP_XOR_AGG", "GROUP_ID"),
)

#: Flink's functions that need OVER (…).
ABSENT_OVER: tuple[str, ...] = ("CUME_DIST", "DENSE_RANK", "LAG", "LEAD", "NTILE", "PERCENT_RANK", "RANK")

#: Every name that Flink has and that is not supported yet.
ABSENT = frozenset((*(name for names in ABSENT_SCALARS.values() for name in names), *ABSENT_AGGREGATES, *ABSENT_OVER))

#: The names in Flink of other databases' functions.
ELSEWHERE = {
    "LENGTH": "CHAR_LENGTH",
    "LEN": "CHAR_LENGTH",
    "STRLEN": "CHAR_LENGTH",
    "UCASE": "UPPER",
    "LCASE": "LOWER",
    "TOUPPER": "UPPER",
    "TOLOWER": "LOWER",
    "NVL": "COALESCE",
    "ISNULL": "COALESCE",
    "DATEADD": "TIMESTAMPADD",
    "DATE_ADD": "TIMESTAMPADD",
    "DATEDIFF": "TIMESTAMPDIFF",
    "DATE_DIFF": "TIMESTAMPDIFF",
    "GETDATE": "NOW",
    "SYSDATE": "NOW",
    "TO_CHAR": "DATE_FORMAT",
    "STRING_AGG": "LISTAGG",
    "GROUP_CONCAT": "LISTAGG",
    "GET_JSON_OBJECT": "JSON_VALUE",
    "JSON_EXTRACT": "JSON_VALUE",
    "SPLIT_PART": "SPLIT_INDEX",
    "STRPOS": "POSITION",
    "CHARINDEX": "POSITION",
    "POW": "POWER",
    "RANDOM": "RAND",
    "ARRAY_LENGTH": "CARDINALITY",
    "ARRAY_SIZE": "CARDINALITY",
    "COUNT_DISTINCT": "COUNT",
    "STDEV": "STDDEV",
    "FIRST": "FIRST_VALUE",
    "LAST": "LAST_VALUE",
}
