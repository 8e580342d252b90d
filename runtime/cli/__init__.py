"""The command line of vyre."""
