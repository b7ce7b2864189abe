"""The rules of `validate`: facts to findings."""
