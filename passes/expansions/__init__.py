"""Expansions of decoders and scanners into arms."""
