"""DL3xx: metadata, schema and properties."""
