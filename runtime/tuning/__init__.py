"""What timings of runs are kept for: the hot-path table, the autotuner, and its decisions."""
