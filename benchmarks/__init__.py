"""What is measured of vyre, how, and (in `results/`) the recorded figures."""
