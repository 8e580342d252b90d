"""What several passes do to IR alike."""
