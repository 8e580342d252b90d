"""`vyre scan`: many files are decoded and searched for literals by programs compiled once."""
