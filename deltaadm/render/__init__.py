"""Reports turned into output."""
