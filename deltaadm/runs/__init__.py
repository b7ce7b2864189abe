"""Runs: what is read, planned, shown, agreed to and committed for one table or many."""
