"""Results as HTML, for reports and notebooks."""
