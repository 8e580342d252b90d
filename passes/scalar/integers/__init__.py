"""Parts of `vyre-optimize-integers`: a file for each family of patterns."""
