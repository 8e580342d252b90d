"""Passes on programs as a whole: expanding, joining and outlining."""
