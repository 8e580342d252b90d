"""The gate: programs as users write them, with NumPy's answers, in the forms that vyre has."""
