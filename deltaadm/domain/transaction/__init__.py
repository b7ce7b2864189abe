"""The checks and changes that Delta applies to any commit of metadata."""
