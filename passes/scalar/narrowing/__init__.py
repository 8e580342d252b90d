"""Parts of `vyre-narrow-integers`: what ops do in few bits, and which of them gain by that."""
