"""What changes a table: planners, plans, their documents, and carrying them out."""
