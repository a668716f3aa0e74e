"""The short form of `python -m tests.fuzz.scripts`."""

from __future__ import annotations

import random
from collections import Counter

from tests.fuzz.scripts import Mutator, look_at, look_at_commands, valid_scripts


def test_mutated_scripts_of_all_kinds() -> None:
    mutator, counts = Mutator(valid_scripts()), Counter[str]()
    for number in range(300):
        script = mutator.mutate(random.Random(f"0/{number}"))
        look_at(script, counts)
        if number % 100 == 0:
            look_at_commands(script)
    assert counts["with mistakes"] > counts["without mistakes"] > 0
