"""DL7xx: files that the table names."""
