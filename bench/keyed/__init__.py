"""Measures the state engine beside Flink: `python -m bench.keyed`."""
