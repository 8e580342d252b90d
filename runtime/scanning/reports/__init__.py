"""How a scan is reported: a form each."""
