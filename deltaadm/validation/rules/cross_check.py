"""DL9xx: what another implementation reads."""
