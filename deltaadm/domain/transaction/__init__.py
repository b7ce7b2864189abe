"""What Delta does to any change of metadata."""
