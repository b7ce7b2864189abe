"""DL8xx: version checksums."""
