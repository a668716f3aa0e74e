"""Walks over the tokens of one statement, and reports the mistake where it stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from sqlglot import exp

from firesteel.errors import Problem, Span
from firesteel.sql.node import stamp
from firesteel.sql.reserved import RESERVED, STRUCTURAL
from firesteel.sql.statement import Name, Text
from firesteel.sql.token import Kind, Token

T = TypeVar("T")
N = TypeVar("N", bound=exp.Expression)

#: The greatest nesting of expressions, queries and types. Each level takes up to eight Python calls here and more in
#: later packages, of the thousand that Python allows.
MAX_NESTING = 80

#: The greatest number of operators of one precedence in a row: `1 + 1 + …` makes a tree as deep as it is long.
MAX_CHAIN = 200

_MAX_QUOTED = 40


class Mistake(Exception):
    """A mistake after which the statement cannot be read any further."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Cursor:
    """A position in the tokens of a statement. The last token is an END.

    `problems` collects mistakes after which reading goes on, such as a precision out of range.
    `tried`, if not None, records the words that were tried at each position, for suggestions.
    """

    def __init__(self, tokens: Sequence[Token], text: str, *, record: bool = False) -> None:
        self.tokens = tokens
        self.text = text
        self.index = 0
        self.token = tokens[0]
        self.depth = 0
        self.problems: list[Problem] = []
        self.tried: dict[int, set[str]] | None = {} if record else None

    # --- moving ---------------------------------------------------------------------------------------------------

    def advance(self) -> Token:
        token = self.token
        if token.kind is not Kind.END:
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def at_end(self) -> bool:
        return self.token.kind is Kind.END

    def at(self, *keys: str) -> bool:
        """Check whether the current token is one of these words or symbols."""
        if self.tried is not None:
            self.tried.setdefault(self.index, set()).update(keys)
        return self.token.key in keys and self.token.key != ""

    def at_sequence(self, *keys: str) -> bool:
        if not self.at(keys[0]):
            return False
        return all(self.peek(ahead).key == key for ahead, key in enumerate(keys[1:], 1))

    def accept(self, *keys: str) -> Token | None:
        """Read the current token if it is one of these."""
        return self.advance() if self.at(*keys) else None

    def accept_sequence(self, *keys: str) -> bool:
        """Read these tokens if all of them follow."""
        if not self.at_sequence(*keys):
            return False
        for _ in keys:
            self.advance()
        return True

    def expect(self, key: str) -> Token:
        if self.at(key):
            return self.advance()
        self.fail(key if key.isalpha() else f"'{key}'")

    def expect_sequence(self, *keys: str) -> None:
        for key in keys:
            self.expect(key)

    def list_of(self, item: Callable[[], T]) -> list[T]:
        items = [item()]
        while self.accept(","):
            items.append(item())
        return items

    def wrapped_list_of(self, item: Callable[[], T]) -> list[T]:
        self.expect("(")
        items = self.list_of(item)
        self.close(")")
        return items

    def close(self, key: str) -> Token:
        """Read the end of a list. The mistake for another token names the comma too, which may be missing."""
        if self.at(key):
            return self.advance()
        self.fail(f"',' or '{key}'")

    def enter(self) -> None:
        """Enter one level of nesting; `leave` ends it. A mistake ends the statement, so it need not be undone."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise Mistake(
                Problem(
                    f"'{self.raw(self.token)}' is nested more than {MAX_NESTING} levels deep.",
                    self.token.span,
                    hint="Split the statement with CREATE VIEW or WITH.",
                )
            )

    def leave(self) -> None:
        self.depth -= 1

    # --- positions ------------------------------------------------------------------------------------------------

    @property
    def previous(self) -> Token:
        return self.tokens[self.index - 1] if self.index else self.tokens[0]

    def span_from(self, start: Token) -> Span:
        return Span(start.start, max(start.end, self.previous.end))

    def stamped(self, node: N, start: Token) -> N:
        """Give the node its position: from that token to the last one read."""
        return stamp(node, start.start, self.previous.end)

    def raw(self, token: Token) -> str:
        raw = self.text[token.start : token.end]
        return raw if len(raw) <= _MAX_QUOTED else raw[: _MAX_QUOTED - 1] + "…"

    # --- mistakes -------------------------------------------------------------------------------------------------

    def fail(self, expected: str, hint: str | None = None) -> NoReturn:
        """Raise the mistake that the current token is not `expected`."""
        token = self.token
        before = self.previous
        if token.kind is Kind.QUOTED:
            self.refuse(
                "'\"' does not quote in Flink SQL.",
                token.span,
                "Write a text in single quotes 'x', a name in back-ticks `x`.",
            )
        if hint is None and before.key == "," and (token.kind is Kind.END or token.key in (")", "]", ">", "FROM")):
            hint = "Take the ',' before it away."
        if token.kind is Kind.END:
            written = f"'{self.raw(before)}'" if before.kind is not Kind.STRING else "The text"
            raise Mistake(Problem(f"{written} needs {expected} after it.", before.span, hint))
        raise Mistake(Problem(f"{self.named(token)} stands where {expected} is needed.", token.span, hint))

    def named(self, token: Token) -> str:
        """Name the token for a message. A text is not repeated: it may be a password."""
        return "A text in quotes" if token.kind is Kind.STRING else f"'{self.raw(token)}'"

    def refuse(self, message: str, span: Span, hint: str | None = None) -> NoReturn:
        raise Mistake(Problem(message, span, hint))

    def note(self, message: str, span: Span, hint: str | None = None) -> None:
        """Note a mistake after which reading goes on."""
        self.problems.append(Problem(message, span, hint))

    # --- names and texts ------------------------------------------------------------------------------------------

    def at_identifier(self) -> bool:
        token = self.token
        return token.kind is Kind.NAME or (token.kind is Kind.WORD and token.key not in RESERVED)

    def identifier(self, what: str = "a name") -> exp.Identifier:
        token = self._identifier_token(what)
        node = exp.Identifier(this=token.value, quoted=token.kind is Kind.NAME)
        return stamp(node, token.start, token.end)

    def name(self, what: str = "a name") -> Name:
        """Read one identifier."""
        token = self._identifier_token(what)
        return Name(token.value, token.span, (token.value,))

    def path(self, what: str = "a name") -> Name:
        """Read `a`, `a.b` or `a.b.c`."""
        start = self.token
        parts = [self._identifier_token(what).value]
        while self.accept("."):
            parts.append(self._identifier_token("a name").value)
        return Name(parts[-1], self.span_from(start), tuple(parts))

    def string(self, what: str) -> Text:
        token = self.token
        if token.kind is not Kind.STRING:
            hint = None
            if token.kind in (Kind.WORD, Kind.NAME, Kind.NUMBER) and token.key not in RESERVED:
                hint = "Write it in single quotes."
            self.fail(what, hint)
        self.advance()
        return Text(token.value, token.span)

    def _identifier_token(self, what: str) -> Token:
        token = self.token
        if self.at_identifier():
            return self.advance()
        meant = self.previous.key == "AS" or (token.key not in STRUCTURAL and self._reads_as_name())
        if token.kind is Kind.WORD and meant:
            self.refuse(
                f"'{token.value}' is a reserved word and no name.",
                token.span,
                hint=f"Write it in back-ticks: `{token.value}`.",
            )
        self.fail(what)

    def _reads_as_name(self) -> bool:
        """Guess whether a reserved word was meant as a name: the next token would fit one."""
        following = self.peek()
        return following.kind in (Kind.END, Kind.WORD) or following.key in (",", ")", ".", "=", "<", ">", "[")
