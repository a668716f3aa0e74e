"""Makes the tables of modules in ARCHITECTURE.md from the modules' docstrings: `python -m tests.docs.modules --write`."""

from __future__ import annotations

import argparse
import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "firesteel"
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- modules: made by python -m tests.docs.modules --write -->", "<!-- end of modules -->"


def package_order(text: str) -> list[str]:
    """Reads the packages and modules of the first table of ARCHITECTURE.md, in its order."""
    table = text.partition("| package | is |")[2].partition("\n\n")[0]
    return [
        name
        for line in table.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    ]


def summarize(path: Path) -> str:
    """Gives the first sentence of a module's docstring, fit for a cell of a table."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = " ".join(docstring.partition("\n\n")[0].split())
    sentence = re.split(r"(?<=[.?!]) (?=[A-Z`\d])", first, maxsplit=1)[0]
    return sentence.removesuffix(".").replace("|", "\\|")


def render_tables(text: str) -> str:
    """Renders one table for each folder, in the order of the packages; single modules share the first table."""
    order = package_order(text)
    singles = [PACKAGE / f"{name}.py" for name in order if (PACKAGE / f"{name}.py").is_file()]
    parts = [_table("Single modules", singles)]
    for name in order:
        folder = PACKAGE / name
        for path in sorted(
            [folder, *(inner for inner in folder.rglob("*") if inner.is_dir())] if folder.is_dir() else []
        ):
            modules = sorted(found for found in path.glob("*.py") if found.name != "__init__.py")
            if modules:
                parts.append(_table(f"`{path.relative_to(PACKAGE)}`", modules))
    return "\n".join(parts)


def _table(title: str, modules: list[Path]) -> str:
    rows = [f"| `{path.stem}` | {summarize(path)} |" for path in modules]
    return "\n".join([f"### {title}", "", "| module | what it does |", "|---|---|", *rows, ""])


def written_page(text: str) -> str:
    """Gives the page with its tables made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{render_tables(text)}\n{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write ARCHITECTURE.md instead of printing its tables")
    text = PAGE.read_text(encoding="utf-8")
    if parser.parse_args().write:
        PAGE.write_text(written_page(text), encoding="utf-8")
    else:
        print(render_tables(text))


if __name__ == "__main__":
    main()
