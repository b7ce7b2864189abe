"""DL2xx: versions and table features."""
