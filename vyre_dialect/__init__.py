"""The vyre dialect: an IR for GPU decode -> scan programs, built on xDSL."""
