"""Reads a block of CSV messages at once, through Arrow's CSV reader.

`read` returns None unless it can prove that the exact reader would give the same rows: the block has no escape, no line
break and no blank to trim, and quotes only surround whole values. Then a line is nothing but texts between delimiters,
and it has as many of them as the table has columns. Texts become values only if their form is beyond doubt.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from firesteel.formats.column.text import Finish, text_reader
from firesteel.formats.csv.exact import MAX_STRING
from firesteel.formats.csv.settings import CsvSettings
from firesteel.formats.two_paths import Chunk
from firesteel.types import Field

_MAX_BLOCK = 1 << 30


class BlockReader:
    def __init__(self, width: int, columns: Sequence[tuple[int, Finish]], settings: CsvSettings) -> None:
        self._width = width
        self._columns = columns
        self._settings = settings
        self._forbidden = [b"\r", b"\0", b"\xef\xbb\xbf"]
        self._forbidden += [settings.escape.encode()] if settings.escape else []
        self._quote = settings.quote.encode()

    def read(self, messages: Sequence[bytes]) -> Chunk | None:
        """Reads one array for each column. Returns None if the block is refused."""
        joined = b"\n".join(messages)
        if len(joined) > _MAX_BLOCK or joined.count(b"\n") != len(messages) - 1:
            return None
        if any(char in joined for char in self._forbidden) or max(map(len, messages)) > MAX_STRING:
            return None
        quoted = bool(self._quote) and self._quote in joined
        if quoted and not _is_plainly_quoted(joined, self._quote, self._settings.delimiter.encode()):
            return None
        try:
            if not joined.isascii():
                joined.decode("utf-8")
            table = self._table(joined + b"\n", quoted)
            if table.num_rows != len(messages):
                return None
            arrays: list[pa.Array] = []
            for index, finish in self._columns:
                finished = finish(self._nullable(table.column(str(index)).combine_chunks()))
                if finished is None:
                    return None
                arrays.append(finished)
            return Chunk(arrays)
        except (pa.ArrowException, UnicodeDecodeError):
            return None

    def _table(self, joined: bytes, quoted: bool) -> pa.Table:
        names = [str(index) for index in range(self._width)]
        # Read at least one column: without any, Arrow loses the number of rows.
        wanted = [str(index) for index, _ in self._columns] or names[:1]
        return pyarrow.csv.read_csv(
            pa.py_buffer(joined),
            read_options=pyarrow.csv.ReadOptions(column_names=names, use_threads=False, block_size=len(joined) + 64),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self._settings.delimiter,
                quote_char=self._settings.quote if quoted else False,
                double_quote=False,
                escape_char=False,
                ignore_empty_lines=False,
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
    """Makes the reader of a table's columns. Returns None if a column or an option needs the exact reader."""
    if settings.trim_spaces or settings.allow_comments or not settings.delimiter.isascii():
        return None
    if settings.delimiter in "\r\n" or not settings.quote.isascii():
        return None
    columns: list[tuple[int, Finish]] = []
    for index in wanted:
        finish = text_reader(fields[index].type)
        if finish is None:
            return None
        columns.append((index, finish))
    return BlockReader(len(fields), columns, settings)


def _is_plainly_quoted(joined: bytes, quote: bytes, delimiter: bytes) -> bool:
    """Checks that the quotes of each line come in pairs around a whole value, with no quote inside."""
    if len(quote) != 1 or quote == delimiter:
        return False
    # A line break before the first line and after the last one makes all lines alike.
    data = np.frombuffer(b"\n" + joined + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(data == quote[0])
    if len(quotes) % 2:
        return False
    opening, closing = quotes[0::2], quotes[1::2]
    edges = (delimiter[0], 0x0A)
    if not np.isin(data[opening - 1], edges).all() or not np.isin(data[closing + 1], edges).all():
        return False
    breaks = np.flatnonzero(data == 0x0A)
    return bool((np.searchsorted(breaks, opening) == np.searchsorted(breaks, closing)).all())
