"""The `json` format: one row per message, both directions."""
