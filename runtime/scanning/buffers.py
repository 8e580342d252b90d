"""The buffers of the programs of a scan that the host knows, by name."""

from __future__ import annotations

ENCODED, DECODED, POSITIONS, WHICH = "encoded", "decoded", "positions", "which"
