"""vyre → the text of MLIR's own dialects: `gpu`, `memref`, `vector`, `scf`, `arith` and `math`."""
