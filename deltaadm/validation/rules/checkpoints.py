"""DL6xx: checkpoints."""
