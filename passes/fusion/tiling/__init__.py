"""The parts of `vyre-decode-scan-fuse`: plans, proofs and rewrites over tiles."""
