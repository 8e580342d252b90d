"""The host's side of a program: compiling, inputs, outputs and results."""
