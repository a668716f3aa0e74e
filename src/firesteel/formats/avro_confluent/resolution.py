"""Reads records of one schema into the columns of another, by name, as Avro resolves a writer's schema to a reader's.

Units and scales are those of the writer's schema: microseconds are not read as milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from firesteel import types
from firesteel.formats.avro.exact import (
    BadRecord,
    Corrupt,
    Input,
    Reader,
    TooLarge,
    items,
    map_reader,
    read_double,
    read_float,
    read_millis,
    read_time,
    to_decimal,
)
from firesteel.formats.avro_confluent.writer_schema import BadSchema, Node, WriterSchema
from firesteel.formats.codec import Reason
from firesteel.types import DataType, Field


class Mismatch(ValueError):
    """A writer's type whose values cannot be read as the column's type."""


class ResolvedReader:
    """Reads the wanted fields, given by their indexes, of records written with another schema. Raises BadSchema, Mismatch."""

    def __init__(self, schema: WriterSchema, fields: Sequence[Field], wanted: Sequence[int]) -> None:
        self._resolver = _Resolver(schema)
        self._width = len(wanted)
        self._read = self._resolver.members(schema.root, {fields[index].name: fields[index].type for index in wanted})
        self._names = [fields[index].name for index in wanted]

    def read(self, message: bytes, start: int) -> list[object]:
        """Decodes a message from `start` on. Raises BadRecord."""
        source = Input(message)
        source.at = start
        try:
            found = self._read(source)
        except Corrupt as error:
            raise BadRecord(Reason.MALFORMED, str(error)) from None
        except (TooLarge, RecursionError) as error:
            raise BadRecord(Reason.TOO_LARGE, str(error) or "the record is nested too deep") from None
        except (ValueError, ArithmeticError) as error:
            raise BadRecord(Reason.BAD_VALUE, str(error)) from None
        if source.at != len(message):
            # Flink would read them as the start of the next record.
            raise BadRecord(Reason.MALFORMED, f"{len(message) - source.at} bytes are left behind the record")
        return [found.get(name) for name in self._names]


class _Resolver:
    def __init__(self, schema: WriterSchema) -> None:
        self._schema = schema
        self._skipped: dict[str, Reader] = {}

    def members(self, node: Node, wanted: Mapping[str, DataType]) -> Callable[[Input], dict[str, object]]:
        if node.kind not in ("record", "error"):
            raise Mismatch(f"the writer's schema is a '{node.kind}', and a row is needed")
        readers: list[tuple[str | None, Reader]] = []
        missing = dict(wanted)
        for name, field in self._schema.fields(node):
            data_type = missing.pop(name, None)
            if data_type is None:
                readers.append((None, self.skip(field)))
                continue
            try:
                readers.append((name, self.value(field, data_type)))
            except Mismatch as error:
                raise Mismatch(f"field '{name}': {error}") from None
        for name, data_type in missing.items():
            if not data_type.nullable:
                raise Mismatch(f"the writer's schema has no field '{name}', which is NOT NULL")

        def read(source: Input) -> dict[str, object]:
            row: dict[str, object] = dict.fromkeys(missing)
            for name, reader in readers:
                value = reader(source)
                if name is not None:
                    row[name] = value
            return row

        return read

    def skip(self, node: Node) -> Reader:
        """Returns a reader that skips a value of any type. A named type may contain itself."""
        if node.name is None:
            return self._skip(node)
        name = node.name
        if name not in self._skipped:
            self._skipped[name] = lambda source: self._skipped[name](source)
            self._skipped[name] = self._skip(node)
        return self._skipped[name]

    def _skip(self, node: Node) -> Reader:
        match node.kind:
            case "null":
                return lambda source: None
            case "boolean":
                return lambda source: source.take(1)
            case "int" | "enum":
                return Input.read_int
            case "long":
                return Input.read_long
            case "float":
                return lambda source: source.take(4)
            case "double":
                return lambda source: source.take(8)
            case "bytes" | "string":
                return lambda source: source.take(source.read_long())
            case "fixed":
                size = node.number("size")
                return lambda source: source.take(size)
            case "array":
                inner = self.skip(self._schema.inner(node, "items"))
                return lambda source: [inner(source) for _ in items(source)] and None
            case "map":
                inner = self.skip(self._schema.inner(node, "values"))
                return lambda source: [(source.take(source.read_long()), inner(source)) for _ in items(source)] and None
            case "record" | "error":
                parts = [self.skip(field) for _, field in self._schema.fields(node)]
                return lambda source: [part(source) for part in parts] and None
            case "union":
                return _union([self.skip(branch) for branch in self._schema.branches(node)])
        raise BadSchema(f"the type '{node.kind[:100]}' is not known")

    def value(self, node: Node, data_type: DataType) -> Reader:
        """Returns a reader of values as Arrow takes them. Raises Mismatch."""
        if node.kind == "union":
            return self._branches(node, data_type)
        if node.kind == "null":
            if not data_type.nullable:
                raise Mismatch(f"NULL is no {data_type.sql}")
            return lambda source: None
        read = self._plain(node, data_type)
        if read is None:
            written = f"{node.kind} ({node.logical})" if node.logical else node.kind
            raise Mismatch(f"the writer's '{written}' is no {data_type.sql}")
        return read

    def _branches(self, node: Node, data_type: DataType) -> Reader:
        readers: list[Reader] = []
        problem: Mismatch | None = None
        fitting = False
        for branch in self._schema.branches(node):
            try:
                readers.append(self.value(branch, data_type))
                fitting = fitting or branch.kind != "null"
            except Mismatch as error:
                if branch.kind != "null":
                    problem = error
                readers.append(_never(str(error)))
        if problem is not None and not fitting:
            raise problem
        return _union(readers)

    def _plain(self, node: Node, data_type: DataType) -> Reader | None:
        match data_type:
            case types.Boolean():
                return (lambda source: source.take(1) == b"\1") if node.kind == "boolean" else None
            case types.TinyInt():
                return (lambda source: (source.read_int() + 2**7) % 2**8 - 2**7) if node.kind == "int" else None
            case types.SmallInt():
                return (lambda source: (source.read_int() + 2**15) % 2**16 - 2**15) if node.kind == "int" else None
            case types.Int() | types.Date():
                return Input.read_int if node.kind == "int" else None
            case types.BigInt():
                return _whole(node)
            case types.Time():
                return _time(node)
            case types.Timestamp() | types.TimestampLtz():
                return _timestamp(node)
            case types.Float():
                return _widened(_whole(node)) or (read_float if node.kind == "float" else None)
            case types.Double():
                wide = _widened(_whole(node)) or (read_float if node.kind == "float" else None)
                return wide or (read_double if node.kind == "double" else None)
            case types.Char() | types.Varchar():
                return _text(node)
            case types.Binary() | types.Varbinary():
                return _bytes(node)
            case types.Decimal(precision, scale):
                return _decimal(node, precision, scale)
            case types.Array(element) if node.kind == "array":
                inner = self.value(self._schema.inner(node, "items"), element)
                return lambda source: [inner(source) for _ in items(source)]
            case types.Map(_, value) if node.kind == "map":
                return map_reader(self.value(self._schema.inner(node, "values"), value))
            case types.Multiset() if node.kind == "map":
                return map_reader(self.value(self._schema.inner(node, "values"), types.Int(nullable=False)))
            case types.Row(fields) if node.kind in ("record", "error"):
                return self.members(node, {field.name: field.type for field in fields})
        return None


def _union(readers: Sequence[Reader]) -> Reader:
    def branch(source: Input) -> object:
        index = source.read_int()
        if not 0 <= index < len(readers):
            raise Corrupt("a union has no such branch")
        return readers[index](source)

    return branch


def _never(why: str) -> Reader:
    def read(source: Input) -> object:
        raise Mismatch(why)

    return read


def _whole(node: Node) -> Reader | None:
    return {"int": Input.read_int, "long": Input.read_long}.get(node.kind)


def _widened(read: Reader | None) -> Reader | None:
    if read is None:
        return None
    whole = read
    return lambda source: float(whole(source))  # type: ignore[arg-type]


def _time(node: Node) -> Reader | None:
    match node.kind, node.logical:
        case "int", _:
            return lambda source: read_time(source.read_int())
        case "long", "time-micros":
            return lambda source: read_time(source.read_long() // 1000)
    return None


def _timestamp(node: Node) -> Reader | None:
    logical = (node.logical or "").removeprefix("local-")
    match node.kind, logical:
        case "long", "timestamp-micros":
            return Input.read_long
        case "long", "timestamp-nanos":
            return lambda source: source.read_long() // 1000
        case "long", _:
            return lambda source: read_millis(source.read_long())
        case "int", _:
            return lambda source: read_millis(source.read_int())
    return None


def _text(node: Node) -> Reader | None:
    if node.kind in ("string", "bytes"):
        # Like Java, put U+FFFD for bytes that are not UTF-8.
        return lambda source: source.take(source.read_long()).decode("utf-8", errors="replace")
    if node.kind == "enum":
        symbols = node.symbols

        def symbol(source: Input) -> str:
            index = source.read_int()
            if not 0 <= index < len(symbols):
                raise Corrupt("an enum has no such symbol")
            return symbols[index]

        return symbol
    return None


def _bytes(node: Node) -> Callable[[Input], bytes] | None:
    if node.kind in ("string", "bytes"):
        return lambda source: source.take(source.read_long())
    if node.kind == "fixed":
        size = node.number("size")
        return lambda source: source.take(size)
    return None


def _decimal(node: Node, precision: int, scale: int) -> Reader | None:
    read = _bytes(node) if node.kind != "string" else None
    if read is None:
        return None
    take = read
    written = node.attribute("scale")
    unit = (written if type(written) is int else 0) if node.logical == "decimal" else scale
    return lambda source: to_decimal(take(source), precision, scale, unit)
