"""Decoders and scanners for tapes: an example of a package beside vyre."""
