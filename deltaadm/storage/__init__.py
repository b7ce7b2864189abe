"""Bytes of the log, from anywhere."""
