"""Walks through the tokens of a JSON message, and prints the value at a position as Jackson prints a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from firesteel.formats.java import jackson
from firesteel.formats.java import number as java_number
from firesteel.formats.json.token import Kind, Token


@dataclass
class Cursor:
    """A position in a token list. `bad` collects the details of values that were ignored or changed on the way."""

    tokens: list[Token]
    at: int = 0
    bad: list[str] = field(default_factory=list)

    @property
    def token(self) -> Token:
        if self.at >= len(self.tokens):
            raise ValueError("the message ends too early")
        return self.tokens[self.at]

    def is_on(self, kind: Kind) -> bool:
        return self.token.kind is kind

    def skip(self) -> None:
        """Moves behind the value that starts here, or by one token where no value starts."""
        if self.token.kind in (Kind.START_OBJECT, Kind.START_ARRAY):
            self._to_end()
        self.at += 1

    def _to_end(self) -> None:
        """Moves to the token that closes the object or array that starts here."""
        depth = 0
        while True:
            kind = self.token.kind
            if kind in (Kind.START_OBJECT, Kind.START_ARRAY):
                depth += 1
            elif kind in (Kind.END_OBJECT, Kind.END_ARRAY):
                depth -= 1
                if depth <= 0:
                    return
            self.at += 1


def tree_text(cursor: Cursor, exact: bool) -> str:
    """Prints a value as Jackson prints a tree: compact, with numbers in Java's form. Leaves the cursor on its last token."""
    parts: list[str] = []
    _append_tree(cursor, exact, parts)
    return "".join(parts)


def _append_tree(cursor: Cursor, exact: bool, parts: list[str]) -> None:
    kind, text = cursor.token
    match kind:
        case Kind.START_OBJECT:
            # A name given twice keeps its first position and its last value.
            members: dict[str, list[str]] = {}
            cursor.at += 1
            while not cursor.is_on(Kind.END_OBJECT):
                name = cursor.token.text
                cursor.at += 1
                member: list[str] = []
                _append_tree(cursor, exact, member)
                members[name] = member
                cursor.at += 1
            parts.append("{")
            for index, (name, member) in enumerate(members.items()):
                parts.append(f"{',' if index else ''}{jackson.quote(name)}:")
                parts.extend(member)
            parts.append("}")
        case Kind.START_ARRAY:
            parts.append("[")
            cursor.at += 1
            first = True
            while not cursor.is_on(Kind.END_ARRAY):
                if not first:
                    parts.append(",")
                first = False
                _append_tree(cursor, exact, parts)
                cursor.at += 1
            parts.append("]")
        case Kind.STRING:
            parts.append(jackson.quote(text))
        case Kind.INTEGER:
            parts.append("0" if text == "-0" else text)
        case Kind.FLOATING if exact:
            parts.append(java_number.stripped_decimal_text(Decimal(text)))
        case Kind.FLOATING:
            value = float(text)
            printed = java_number.double_text(value)
            parts.append(f'"{printed}"' if printed.endswith(("y", "N")) else printed)
        case _:
            parts.append(text)
