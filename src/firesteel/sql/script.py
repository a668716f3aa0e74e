"""Splits a script's text into statements. Mistakes are collected, one for each statement that cannot be read; nothing is raised.

>>> from firesteel.errors import Source
>>> script, problems = parse_script(Source("job.sql", "SELEC 1; DROP TABLE t"))
>>> [problem.message for problem in problems], [type(statement).__name__ for statement in script.statements]
(["'SELEC' is not a statement."], ['Drop'])
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field

from sqlglot import exp

from firesteel.errors import Problem, Source, Span
from firesteel.sql.command import StatementParser
from firesteel.sql.cursor import Mistake
from firesteel.sql.node import cast_type, span_of, table_hints, written_name
from firesteel.sql.reserved import RESERVED
from firesteel.sql.statement import Explain, Insert, Name, Query, Refused, Script, Statement, StatementSet
from firesteel.sql.token import Kind, Token, tokenize
from firesteel.types import DataType

__all__ = ["cast_type", "parse_script", "parse_type", "span_of", "table_hints", "written_name"]


def parse_script(source: Source) -> tuple[Script, tuple[Problem, ...]]:
    """Parse the statements that can be read, and make a problem for each that cannot, in the order of the script."""
    tokens, unclosed = tokenize(source.text)
    reader = _ScriptReader(source.text)
    chunks = _split(tokens)
    for number, chunk in enumerate(chunks):
        # A statement with an unclosed text has only that one mistake.
        if unclosed is None or number < len(chunks) - 1:
            reader.read(chunk)
    if unclosed is not None:
        reader.problems.append(unclosed)
    else:
        reader.finish()
    problems = sorted(reader.problems, key=lambda problem: problem.span.start if problem.span else 0)
    return Script(tuple(reader.statements), tuple(reader.refused)), tuple(problems)


def parse_type(text: str) -> DataType | None:
    """Parse a type that stands alone, as a Python function may declare it; None: the text is no type.

    >>> str(parse_type("ARRAY<INT>"))
    'ARRAY<INT>'
    >>> parse_type("INT) OR (1") is None
    True
    """
    script, problems = parse_script(Source("type", f"SELECT CAST(NULL AS {text}) FROM t"))
    statement = script.statements[0] if not problems and len(script.statements) == 1 else None
    if not isinstance(statement, Query) or len(statement.query.expressions) != 1:
        return None
    cast = statement.query.expressions[0]
    return cast_type(cast.to) if isinstance(cast, exp.Cast) else None


def _split(tokens: list[Token]) -> list[list[Token]]:
    """Split the tokens into statements, each with an END where its semicolon or the end of the text stands."""
    chunks: list[list[Token]] = [[]]
    for token in tokens:
        if token.key == ";" or token.kind is Kind.END:
            chunks[-1].append(Token(Kind.END, "", "", token.start, token.end))
            chunks.append([])
        else:
            chunks[-1].append(token)
    chunks.pop()
    return chunks


#: The kinds of objects of CREATE, and the number of words in which the kind has to be named.
_CREATED = frozenset({"TABLE", "VIEW", "FUNCTION", "CATALOG", "DATABASE", "MODEL"})
_NAME_BY = 12


@dataclass
class _OpenSet:
    """A statement set whose END has not been read yet."""

    start: Token
    explained: bool
    inserts: list[Insert] = dataclass_field(default_factory=list)
    broken: bool = False


class _ScriptReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._open: _OpenSet | None = None
        self._closed_early = False
        self.statements: list[Statement] = []
        self.problems: list[Problem] = []
        self.refused: list[Refused] = []

    def read(self, tokens: list[Token]) -> None:
        """Read one statement, or the part of a statement set up to a semicolon."""
        header = 0 if self._open else self._set_header(tokens)
        if header:
            self._open = _OpenSet(tokens[0], explained=tokens[0].key == "EXPLAIN")
            tokens = tokens[header:]
        if tokens[0].kind is Kind.END:
            return
        if tokens[0].key == "END" and (self._open is not None or self._closed_early):
            self._close(tokens)
            self._closed_early = False
        elif self._open is not None:
            self._member(self._open, tokens)
        else:
            statement = self._parse(tokens)
            if statement is not None:
                self.statements.append(statement)

    def finish(self) -> None:
        if self._open is not None:
            self.problems.append(
                Problem(
                    f"'{self._open.start.value}' starts a statement set that has no END.",
                    self._open.start.span,
                    hint="Write END; after its last INSERT.",
                )
            )

    # --- statement sets -----------------------------------------------------------------------------------------------

    def _set_header(self, tokens: list[Token]) -> int:
        """Count the tokens that open a statement set: those of `EXECUTE STATEMENT SET BEGIN`, `BEGIN STATEMENT SET`, …"""
        keys = [token.key for token in tokens[:16]]
        if keys[:3] == ["BEGIN", "STATEMENT", "SET"]:
            return 3
        if "STATEMENT" not in keys or keys[0] not in ("EXECUTE", "EXPLAIN"):
            return 0
        at = keys.index("STATEMENT")
        if keys[at : at + 3] != ["STATEMENT", "SET", "BEGIN"]:
            return 0
        if keys[0] == "EXECUTE":
            return at + 3 if at == 1 else 0
        details = StatementParser([*tokens[1:at], tokens[-1]], self._text)
        try:
            details.explain_details()
            details.finish()
        except Mistake:
            return 0
        return at + 3

    def _member(self, opened: _OpenSet, tokens: list[Token]) -> None:
        statement = self._parse(tokens)
        if isinstance(statement, Insert):
            opened.inserts.append(statement)
        elif statement is None:
            opened.broken = True
        else:
            # More likely the END is missing than this statement wrong: the set ends here, and a later END is no second
            # mistake.
            self.problems.append(
                Problem(
                    f"'{tokens[0].value}' stands in a statement set, which holds nothing but INSERT.",
                    tokens[0].span,
                    hint="Write END; before it, or move it before the set.",
                )
            )
            self._open = None
            self._closed_early = True
            self._keep(opened, tokens[0].start)
            self.statements.append(statement)

    def _close(self, tokens: list[Token]) -> None:
        opened, self._open = self._open, None
        if tokens[1].kind is not Kind.END:
            self.problems.append(
                Problem(f"'{tokens[1].value[:40]}' stands behind END.", tokens[1].span, hint="Write ; after END.")
            )
        if opened is not None:
            self._keep(opened, tokens[0].end)

    def _keep(self, opened: _OpenSet, end: int) -> None:
        span = Span(opened.start.start, end)
        if opened.inserts:
            together = StatementSet(span, tuple(opened.inserts))
            self.statements.append(Explain(span, together) if opened.explained else together)
        elif not opened.broken:
            self.problems.append(
                Problem(f"'{opened.start.value}' starts a statement set without an INSERT.", opened.start.span)
            )

    # --- one statement ------------------------------------------------------------------------------------------------

    def _parse(self, tokens: list[Token]) -> Statement | None:
        parser = StatementParser(tokens, self._text)
        try:
            _check_tokens(tokens, self._text)
            statement = parser.statement()
        except Mistake as mistake:
            self.problems.extend(parser.problems)
            self.problems.append(self._explained(tokens, mistake.problem))
            statement = None
        except RecursionError:
            # The limit on nesting is far below Python's, unless the caller's stack is deep already.
            self.problems.append(
                Problem(f"'{tokens[0].value[:40]}' is nested too deeply.", tokens[0].span, "Split the statement.")
            )
            statement = None
        else:
            self.problems.extend(parser.problems)
        if statement is None or parser.problems:
            self._refuse(tokens)
        return statement

    def _refuse(self, tokens: list[Token]) -> None:
        """Keep the name of the object that a CREATE with a mistake would have made."""
        words = [token.key for token in tokens[:_NAME_BY]]
        if words[0] != "CREATE" and _nearest(words[0], {"CREATE"}) is None:
            return
        kinds = [at for at, word in enumerate(words) if word in _CREATED]
        # In `CREATE TABEL t` the kind is misspelt, and the name follows it.
        at = kinds[0] if kinds else 1
        kind = words[at] if at < len(words) else ""
        at += 1
        if words[at : at + 3] == ["IF", "NOT", "EXISTS"]:
            at += 3
        path: list[Token] = []
        while at < len(tokens) and tokens[at].kind in (Kind.WORD, Kind.NAME):
            path.append(tokens[at])
            if tokens[at + 1].key != ".":
                break
            at += 2
        if path:
            span = Span(path[0].start, path[-1].end)
            self.refused.append(Refused(kind, Name(path[-1].value, span, tuple(token.value for token in path))))

    def _explained(self, tokens: list[Token], problem: Problem) -> Problem:
        """Add the nearest word that could have stood there to the problem."""
        if problem.hint is not None:
            return problem
        # The statement is parsed again, recording every word that is tried: correct statements need not pay for that.
        parser = StatementParser(tokens, self._text, record=True)
        try:
            _check_tokens(tokens, self._text)
            parser.statement()
        except (Mistake, RecursionError):
            pass
        tried = parser.tried or {}
        for index in (parser.index, parser.index - 1):
            if index < 0 or tokens[index].kind is not Kind.WORD:
                continue
            word = tokens[index]
            candidates = tried.get(index, set()) | tried.get(parser.index, set())
            nearest = _nearest(word.key, candidates)
            if nearest is None:
                continue
            if index == parser.index:
                return Problem(problem.message, problem.span, f"Did you mean {nearest}?")
            return Problem(f"'{word.value[:40]}' does not belong here.", word.span, f"Did you mean {nearest}?")
        if parser.index == 0:
            return Problem(problem.message, problem.span, "A statement starts with CREATE, INSERT, SELECT or SET.")
        return problem


def _check_tokens(tokens: list[Token], text: str) -> None:
    """Refuse characters that are no token of Flink SQL. A setting without quotes may hold any character."""
    setting = tokens[0].key in ("SET", "RESET")
    for token in tokens:
        if token.kind is Kind.WRONG and not setting:
            written = text[token.start : token.end][:40]
            if written == "``":
                raise Mistake(Problem("'``' is a name without a letter.", token.span))
            if written[0].isdigit() or written[0] == ".":
                raise Mistake(
                    Problem(
                        f"'{written}' is neither a number nor a name.",
                        token.span,
                        hint=f"Write a name that starts with a digit in back-ticks: `{written}`.",
                    )
                )
            if written[0] in "eE":
                raise Mistake(
                    Problem(f"{written} has an escape that is no character.", token.span, "Write E'\\u00e9'.")
                )
            if written[0] in "xX":
                raise Mistake(Problem(f"{written} is no hexadecimal text.", token.span, "Write X'1F'."))
            shown = written[0] if written[0].isprintable() else f"U+{ord(written[0]):04X}"
            hint = "Write CAST(x AS TYPE)." if written == "::" else None
            raise Mistake(Problem(f"'{shown}' is not a character of Flink SQL.", token.span, hint))


def _nearest(word: str, candidates: set[str]) -> str | None:
    # Short words resemble too many others.
    if len(word) < 3 or word in candidates or (word in RESERVED and len(word) < 5):
        return None
    import difflib  # only a script with a mistake needs it

    words = sorted(candidate for candidate in candidates if len(candidate) > 1 and candidate[0].isalpha())
    found = difflib.get_close_matches(word, words, n=1, cutoff=0.7)
    return found[0] if found else None
