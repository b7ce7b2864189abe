"""What the claims about speed and memory are measured with: `python benchmarks/run.py`."""
