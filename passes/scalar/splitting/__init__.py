"""How `vyre-split-vectors` splits values into parts, and ops into ops on parts."""
