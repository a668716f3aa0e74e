"""The site that `make docs` builds: its menu leads to pages that are there, and every page of the guide is in it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MENU = set(re.findall(r": ([\w./-]+\.md)$", (ROOT / "properdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))


def test_the_menu_of_the_site_leads_to_pages() -> None:
    assert [page for page in sorted(MENU) if not (ROOT / page).is_file()] == []


def test_every_page_of_docs_is_in_the_menu() -> None:
    """Decisions are listed in ARCHITECTURE.md, the pages of the reference in its README."""
    pages = {str(page.relative_to(ROOT)) for folder in (".", "guide") for page in (ROOT / "docs" / folder).glob("*.md")}
    assert pages - MENU == set()
