"""The ops of the dialect, one file per concern."""
