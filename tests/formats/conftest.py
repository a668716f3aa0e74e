"""Lets the tests of this room share `formats_tables`: pytest's importlib mode puts nothing on the path by itself."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
