"""Texts of Spark SQL: column definitions, expressions, quoting."""
