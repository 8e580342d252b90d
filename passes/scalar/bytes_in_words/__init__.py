"""How `vyre-pack-bytes` computes with bytes in words, of which ops, and where it gains."""
