"""What became of a program, as one page to look at, and as a trace of its run."""
