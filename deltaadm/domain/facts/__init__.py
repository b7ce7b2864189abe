"""What validation rules look at."""
