"""All programs of the gate, by name."""

from __future__ import annotations

from benchmarks.gate import columns, pictures, texts, words

PROGRAMS = {
    each.name: each for family in (texts, words, columns, pictures) for each in family.PROGRAMS
}
