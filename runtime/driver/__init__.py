"""From a program and inputs to results: what is kept, tuned, built and run, and in which order."""
