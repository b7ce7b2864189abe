"""DL5xx: what features demand."""
