"""Parts of `vyre-split-index-sets`."""
