"""A whole block of CSV messages at once, through Arrow's CSV reader.

`read` returns None unless it can prove that the exact reader would give the same rows: there is no quote, no escape, no line
break and no blank to trim in the block, so a line is nothing but its texts between delimiters, and each has as many as the
table has columns. Texts become values only where their shape is beyond doubt.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from firesteel.formats.block import Stretch
from firesteel.formats.csv.exact import MAX_STRING
from firesteel.formats.csv.settings import CsvSettings
from firesteel.formats.text_value import Finish, text_reader
from firesteel.types import Field

_MAX_BLOCK = 1 << 30


class BlockReader:
    def __init__(self, width: int, columns: Sequence[tuple[int, Finish]], settings: CsvSettings) -> None:
        self._width = width
        self._columns = columns
        self._settings = settings
        self._forbidden = [b"\r", b"\0", b"\xef\xbb\xbf"]
        self._forbidden += [char.encode() for char in (settings.quote, settings.escape) if char]

    def read(self, messages: Sequence[bytes]) -> Stretch | None:
        """One array per column, or None."""
        joined = b"\n".join(messages)
        if len(joined) > _MAX_BLOCK or joined.count(b"\n") != len(messages) - 1:
            return None
        if any(char in joined for char in self._forbidden) or max(map(len, messages)) > MAX_STRING:
            return None
        try:
            if not joined.isascii():
                joined.decode("utf-8")
            table = self._table(joined + b"\n")
            if table.num_rows != len(messages):
                return None
            arrays: list[pa.Array] = []
            for place, finish in self._columns:
                finished = finish(self._nullable(table.column(str(place)).combine_chunks()))
                if finished is None:
                    return None
                arrays.append(finished)
            return Stretch(arrays)
        except (pa.ArrowException, UnicodeDecodeError):
            return None

    def _table(self, joined: bytes) -> pa.Table:
        names = [str(place) for place in range(self._width)]
        # One column at least is read: without any, Arrow forgets how many rows there are.
        wanted = [str(place) for place, _ in self._columns] or names[:1]
        return pyarrow.csv.read_csv(
            pa.py_buffer(joined),
            read_options=pyarrow.csv.ReadOptions(column_names=names, use_threads=False, block_size=len(joined) + 64),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self._settings.delimiter, quote_char=False, escape_char=False, ignore_empty_lines=False
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types={name: pa.string() for name in wanted},
                include_columns=wanted,
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )

    def _nullable(self, texts: pa.StringArray) -> pa.StringArray:
        if self._settings.null is not None:
            texts = pc.if_else(pc.equal(texts, self._settings.null), pa.scalar(None, pa.string()), texts)
        if self._settings.empty_is_null:
            texts = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
        return texts


def block_reader(fields: Sequence[Field], wanted: Sequence[int], settings: CsvSettings) -> BlockReader | None:
    """None when a column or an option needs the exact reader."""
    if settings.trim_spaces or settings.allow_comments or not settings.delimiter.isascii():
        return None
    if settings.delimiter in "\r\n":
        return None
    columns: list[tuple[int, Finish]] = []
    for place in wanted:
        finish = text_reader(fields[place].type)
        if finish is None:
            return None
        columns.append((place, finish))
    return BlockReader(len(fields), columns, settings)
