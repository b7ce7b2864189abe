"""Tables of other providers than Delta, which Delta's catalog leaves to its parent catalog."""
