"""DL4xx: column mapping."""
