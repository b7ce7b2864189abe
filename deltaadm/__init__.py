"""Explain, change and check the protocol side of Delta Lake tables."""

__version__ = "0.1.0"
