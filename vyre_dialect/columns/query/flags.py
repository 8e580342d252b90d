"""Truths of a row: known when the program is built, as Python's, or an i1 of it."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects.builtin import i1

from vyre_dialect.builder import Value, constant

Flag: TypeAlias = Value | bool


def both(one: Flag, other: Flag) -> Flag:
    """Whether one and the other hold."""
    if isinstance(one, bool):
        return other if one else False
    if isinstance(other, bool):
        return one if other else False
    return one & other


def either(one: Flag, other: Flag) -> Flag:
    """Whether one or the other holds."""
    if isinstance(one, bool):
        return True if one else other
    if isinstance(other, bool):
        return True if other else one
    return one | other


def negation(flag: Flag) -> Flag:
    """Whether it does not hold."""
    return not flag if isinstance(flag, bool) else flag ^ 1


def choice(flag: Flag, true: Flag, false: Flag) -> Flag:
    """`true` where the flag holds, else `false`."""
    return either(both(flag, true), both(negation(flag), false))


def as_value(flag: Flag) -> Value:
    """The flag as an i1."""
    return constant(int(flag), i1) if isinstance(flag, bool) else flag
