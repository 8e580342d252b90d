"""Passes that use what is known of values."""
