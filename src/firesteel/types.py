"""Defines Flink's SQL types as values.

>>> str(Row((Field("id", BigInt(nullable=False)), Field("tags", Array(STRING)))))
'ROW<`id` BIGINT NOT NULL, `tags` ARRAY<STRING>>'
>>> Varchar(10) == Varchar(10, nullable=False)
False
>>> BigInt().not_null()
BigInt(nullable=False)
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Self

MAX_LENGTH = 2_147_483_647


@dataclass(frozen=True)
class DataType:
    """The root of the sum type. Two types that differ only in nullability are different."""

    nullable: bool = field(default=True, kw_only=True)

    def not_null(self) -> Self:
        return dataclasses.replace(self, nullable=False)

    def with_nullable(self, nullable: bool) -> Self:
        return self if self.nullable == nullable else dataclasses.replace(self, nullable=nullable)

    @property
    def sql(self) -> str:
        """Renders the type as a script writes it, without its nullability."""
        return type(self).__name__.upper()

    def __str__(self) -> str:
        return self.sql if self.nullable else f"{self.sql} NOT NULL"


@dataclass(frozen=True)
class Null(DataType):
    """The type of a bare NULL."""


@dataclass(frozen=True)
class Boolean(DataType):
    pass


@dataclass(frozen=True)
class TinyInt(DataType):
    pass


@dataclass(frozen=True)
class SmallInt(DataType):
    pass


@dataclass(frozen=True)
class Int(DataType):
    pass


@dataclass(frozen=True)
class BigInt(DataType):
    pass


@dataclass(frozen=True)
class Float(DataType):
    pass


@dataclass(frozen=True)
class Double(DataType):
    pass


@dataclass(frozen=True)
class Decimal(DataType):
    precision: int = 10
    scale: int = 0

    @property
    def sql(self) -> str:
        return f"DECIMAL({self.precision}, {self.scale})"


@dataclass(frozen=True)
class Char(DataType):
    length: int = 1

    @property
    def sql(self) -> str:
        return f"CHAR({self.length})"


@dataclass(frozen=True)
class Varchar(DataType):
    """VARCHAR(n); STRING is VARCHAR of the greatest length."""

    length: int = 1

    @property
    def sql(self) -> str:
        return "STRING" if self.length == MAX_LENGTH else f"VARCHAR({self.length})"


@dataclass(frozen=True)
class Binary(DataType):
    length: int = 1

    @property
    def sql(self) -> str:
        return f"BINARY({self.length})"


@dataclass(frozen=True)
class Varbinary(DataType):
    """VARBINARY(n); BYTES is VARBINARY of the greatest length."""

    length: int = 1

    @property
    def sql(self) -> str:
        return "BYTES" if self.length == MAX_LENGTH else f"VARBINARY({self.length})"


@dataclass(frozen=True)
class Date(DataType):
    pass


@dataclass(frozen=True)
class Time(DataType):
    precision: int = 0

    @property
    def sql(self) -> str:
        return f"TIME({self.precision})"


@dataclass(frozen=True)
class Timestamp(DataType):
    """A date and time of day in no time zone."""

    precision: int = 6

    @property
    def sql(self) -> str:
        return f"TIMESTAMP({self.precision})"


@dataclass(frozen=True)
class TimestampLtz(DataType):
    """A point in time."""

    precision: int = 6

    @property
    def sql(self) -> str:
        return f"TIMESTAMP_LTZ({self.precision})"


@dataclass(frozen=True)
class Interval(DataType):
    """An INTERVAL, which only expressions have. `months`: from YEAR to MONTH; otherwise from DAY to SECOND."""

    months: bool = False

    @property
    def sql(self) -> str:
        return "INTERVAL YEAR TO MONTH" if self.months else "INTERVAL DAY TO SECOND"


@dataclass(frozen=True)
class Array(DataType):
    element: DataType

    @property
    def sql(self) -> str:
        return f"ARRAY<{self.element}>"


@dataclass(frozen=True)
class Map(DataType):
    key: DataType
    value: DataType

    @property
    def sql(self) -> str:
        return f"MAP<{self.key}, {self.value}>"


@dataclass(frozen=True)
class Multiset(DataType):
    element: DataType

    @property
    def sql(self) -> str:
        return f"MULTISET<{self.element}>"


@dataclass(frozen=True)
class Field:
    name: str
    type: DataType

    def __str__(self) -> str:
        quoted = self.name.replace("`", "``")
        return f"`{quoted}` {self.type}"


@dataclass(frozen=True)
class Row(DataType):
    fields: tuple[Field, ...]

    @property
    def sql(self) -> str:
        return f"ROW<{', '.join(map(str, self.fields))}>"


STRING = Varchar(MAX_LENGTH)
BYTES = Varbinary(MAX_LENGTH)

CHARACTER = (Char, Varchar)
BINARY = (Binary, Varbinary)
INTEGER = (TinyInt, SmallInt, Int, BigInt)
APPROXIMATE = (Float, Double)
NUMERIC = (*INTEGER, Decimal, *APPROXIMATE)
TEMPORAL = (Date, Time, Timestamp, TimestampLtz)
