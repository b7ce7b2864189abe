"""Carrying out plans without a JVM."""
