"""Facts about tables, which validation rules check."""
