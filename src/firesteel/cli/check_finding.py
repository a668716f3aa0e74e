"""The findings of `check` in one file: its problems, or why it could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from firesteel.api import analyze_script
from firesteel.errors import Problem, Severity, Source, UsageError


@dataclass(frozen=True)
class Checked:
    """The problems of one file. `readable` is False for a file that is missing, not text, or a folder without scripts."""

    source: Source
    problems: tuple[Problem, ...]
    readable: bool = True

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.is_error)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if not problem.is_error)

    def strict(self) -> Checked:
        """Returns the same findings with every warning as a mistake."""
        return replace(self, problems=tuple(replace(problem, severity=Severity.ERROR) for problem in self.problems))


def check_files(
    names: list[str], settings: Mapping[str, str], python_functions: Iterable[str] = ()
) -> Iterator[Checked]:
    """Checks every script once, in the order they are named; the scripts of a folder in the order of their names."""
    seen: set[Path] = set()
    for name in names:
        try:
            files = _scripts(Path(name))
        except UsageError as error:
            yield _unreadable(name, error)
            continue
        for file in files:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield _check(file, settings, python_functions)


def _scripts(path: Path) -> list[Path]:
    try:
        if not path.is_dir():
            return [path]
        found = sorted(path.rglob("*.sql"))
    except (OSError, ValueError) as error:
        # The name is too long, or has a NUL in it.
        raise UsageError(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if not found:
        raise UsageError(f"The folder '{path}' has no *.sql file in it.", hint="Name a folder of scripts, or a script.")
    return found


def _check(file: Path, settings: Mapping[str, str], python_functions: Iterable[str]) -> Checked:
    try:
        analysis = analyze_script(file, settings, python_functions)
    except UsageError as error:
        return _unreadable(str(file), error)
    return Checked(analysis.source, analysis.problems)


def _unreadable(name: str, error: UsageError) -> Checked:
    return Checked(Source(name, ""), (Problem(error.message, hint=error.hint),), readable=False)
