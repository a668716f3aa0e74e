"""Long forms of the fuzz tests, for machines with time: `python -m tests.fuzz.scripts --rounds 20000`."""
