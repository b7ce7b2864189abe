"""What Delta means: values and pure functions over them, with the standard library alone."""
