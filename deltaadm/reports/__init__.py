"""What commands report: the value of each report, its JSON, and its blocks."""
