"""What the ops of vyre and of xDSL mean: a row for each, in a file for each family."""
