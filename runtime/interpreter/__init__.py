"""The reference interpreter: what a program means, without a device."""
