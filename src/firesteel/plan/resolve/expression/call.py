"""Resolves calls: finds the function, checks the number and types of its arguments, works out the type it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from firesteel.options.spelling import nearest
from firesteel.plan.expression import Call, Expression, Literal
from firesteel.plan.function.absent import ABSENT, ELSEWHERE
from firesteel.plan.function.aggregate import aggregate_names
from firesteel.plan.function.signature import ArgumentError, Arguments
from firesteel.plan.function.table import find_function, function_names
from firesteel.plan.function.time import EXTRACTED_PARTS
from firesteel.plan.resolve.mistake import Mistake, count
from firesteel.plan.resolve.scope import Scope
from firesteel.sql.node import span_of, written_name
from firesteel.types import Boolean, Char, Null


class CallResolver(ABC):
    """Resolves calls of functions over expressions of one clause.

    `scope` holds the columns that the expressions can name; `clause` names the clause in messages.
    """

    def __init__(self, scope: Scope, clause: str) -> None:
        self.scope = scope
        self.clause = clause

    @abstractmethod
    def resolve(self, node: exp.Expression) -> Expression:
        """Resolves an expression of any kind."""

    def condition(self, node: exp.Expression) -> Expression:
        """Resolves an expression that has to be a condition."""
        resolved = self.resolve(node)
        if not isinstance(resolved.type, Boolean | Null):
            raise Mistake(
                f"'{short_text(node)}' is of type {resolved.type.sql} and {self.clause} needs a condition.",
                span_of(node),
                "Compare it with something, for example with '=' or IS NOT NULL.",
            )
        return resolved

    def call(self, name: str, arguments: list[Any], node: exp.Expression) -> Expression:
        """Resolves the call of a function by its name, with arguments that are not resolved yet."""
        function = find_function(name)
        if function is None:
            written = written_name(node) if isinstance(node, exp.Anonymous) else name
            raise Mistake(f"'{written}' is not a function.", span_of(node), _suggest_function(name))
        if len(arguments) < function.least or (function.most is not None and len(arguments) > function.most):
            raise Mistake(
                f"'{name}' has {count(len(arguments), 'argument')} and takes {render_arity(function.least, function.most)}.",
                span_of(node),
            )
        return self.built(name, tuple(self.resolve(argument) for argument in arguments), node)

    def built(self, name: str, args: Arguments, node: exp.Expression) -> Expression:
        """Makes the call of a function that exists, with resolved arguments of a number that it takes."""
        if name in EXTRACTED_PARTS:
            name, args = "EXTRACT", (word_literal(EXTRACTED_PARTS[name]), *args)
        function = find_function(name)
        assert function is not None
        try:
            result = function.result(args)
        except ArgumentError as error:
            raise Mistake(f"'{name}' {error}, and has ({function.shown(args)}).", span_of(node), error.hint) from None
        return Call(function.name, function.fit(args, result), result)


#: Resolves one kind of syntax; the tables of this package map a class of sqlglot's to one of these.
Resolve = Callable[[CallResolver, Any], Expression]


def word_literal(word: str) -> Literal:
    """Makes an argument of a word of the syntax, such as a unit of time."""
    return Literal(word.upper(), Char(len(word), nullable=False))


def render_arity(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def short_text(node: exp.Expression) -> str:
    """Renders the node for a message, at most 60 characters long."""
    text = node.sql()
    return text if len(text) <= 60 else text[:57] + "..."


def _suggest_function(name: str) -> str | None:
    """Suggests a function: another database's function under its name in Flink, or one with a similar name."""
    names = [*function_names(), *aggregate_names(), *ELSEWHERE, *ABSENT]
    meant = name if name in ELSEWHERE else nearest(name, names)
    # A function that is not supported is not suggested.
    return None if meant is None or meant in ABSENT else f"Write '{ELSEWHERE.get(meant, meant)}'."
