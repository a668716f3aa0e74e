"""Flink's types as Spark's."""

from __future__ import annotations

from pyspark.sql import types as spark

from firesteel.types import (
    Array,
    BigInt,
    Binary,
    Boolean,
    Char,
    DataType,
    Date,
    Decimal,
    Double,
    Field,
    Float,
    Int,
    Interval,
    Map,
    Multiset,
    Null,
    Row,
    SmallInt,
    Time,
    Timestamp,
    TimestampLtz,
    TinyInt,
    Varbinary,
    Varchar,
)


def spark_type(data_type: DataType) -> spark.DataType:
    """Gives Spark's type for one of Flink's. Every column is nullable for Spark: NOT NULL is Flink's promise about a sink, and the writer keeps it."""
    match data_type:
        case Boolean():
            return spark.BooleanType()
        case TinyInt():
            return spark.ByteType()
        case SmallInt():
            return spark.ShortType()
        case Int():
            return spark.IntegerType()
        case BigInt():
            return spark.LongType()
        case Float():
            return spark.FloatType()
        case Double():
            return spark.DoubleType()
        case Decimal(precision=precision, scale=scale):
            return spark.DecimalType(precision, scale)
        case Char() | Varchar():
            return spark.StringType()
        case Binary() | Varbinary():
            return spark.BinaryType()
        case Date():
            return spark.DateType()
        case Time():
            return spark.TimeType(6)
        case Timestamp():
            return spark.TimestampNTZType()
        case TimestampLtz():
            return spark.TimestampType()
        case Interval(months=months):
            return spark.YearMonthIntervalType() if months else spark.DayTimeIntervalType()
        case Array(element=element):
            return spark.ArrayType(spark_type(element))
        case Map(key=key, value=value):
            return spark.MapType(spark_type(key), spark_type(value))
        case Multiset(element=element):
            return spark.MapType(spark_type(element), spark.IntegerType())
        case Row(fields=fields):
            return spark_schema(fields)
        case Null():
            return spark.NullType()
    raise TypeError(f"{data_type} has no Spark type")


def spark_schema(fields: tuple[Field, ...]) -> spark.StructType:
    return spark.StructType([spark.StructField(field.name, spark_type(field.type)) for field in fields])
