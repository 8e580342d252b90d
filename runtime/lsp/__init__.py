"""A language server for MLIR: every dialect, pass and op that is installed."""
