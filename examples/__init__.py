"""Programs that run, and `make demo`, which runs them all on real data."""
