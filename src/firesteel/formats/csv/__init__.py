"""The `csv` format: one line per message, both directions."""
