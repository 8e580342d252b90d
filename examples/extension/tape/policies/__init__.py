"""Policies: what passes are to do on a kind of device."""
