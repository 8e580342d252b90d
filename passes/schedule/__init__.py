"""Schedules: which passes run, why, in which order, and what each of them did."""
