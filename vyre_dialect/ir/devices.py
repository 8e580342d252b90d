"""What schedules may ask about a device: properties by name, and when a device has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from vyre_dialect.messages import did_you_mean

Property: TypeAlias = bool | int | str
Properties: TypeAlias = Mapping[str, Property]
"""What is known about a device; a property that is not known is left out."""

PROPERTIES: Mapping[str, type[bool] | type[int] | type[str]] = {
    "name": str,
    "platform": str,
    "vendor": str,
    "kind": str,
    "has_own_local_mem": bool,
    "local_mem_bytes": int,
    "compute_units": int,
    "max_workgroup_size": int,
    "global_mem_bytes": int,
    "vector_lanes": int,
}
"""The properties that a device has, with the types of their values."""

KINDS = ("gpu", "cpu", "accelerator")
"""What the property `kind` may be."""
TYPE_NAMES = {bool: "true or false", int: "a count", str: "a text"}
"""What messages call the types of values."""
_BOOLEANS = {"true": True, "false": False}


def known_property(name: str) -> str:
    """`name`, where a device has a property of that name. Raises ValueError for any other."""
    if name not in PROPERTIES:
        hint = did_you_mean(name, PROPERTIES, f"it has {', '.join(PROPERTIES)}")
        raise ValueError(f"unknown property '{name}' of devices: {hint}")
    return name


def known_kind(kind: str) -> str:
    """`kind`, where devices are of it. Raises ValueError for any other."""
    if kind not in KINDS:
        raise ValueError(f"unknown kind '{kind}' of devices: it is one of {', '.join(KINDS)}")
    return kind


def parse_properties(texts: Iterable[str]) -> Properties:
    """
    Properties that are written `name=value`, as options of passes have them.

    Raises ValueError for a property that no device has, and for a value of another type.
    """
    return dict(_parsed(text) for text in texts)


def properties_texts(properties: Properties) -> tuple[str, ...]:
    """What `parse_properties` reads as `properties`."""
    return tuple(f"{name}={_text(value)}" for name, value in properties.items())


def has_property(device: Properties, name: str, wanted: Property) -> bool:
    """Whether `device` is known to have a property: so much of a number, or this very value."""
    if (value := device.get(name)) is None:
        return False
    if PROPERTIES[name] is int and isinstance(value, int) and isinstance(wanted, int):
        return value >= wanted
    return value == wanted


def _parsed(text: str) -> tuple[str, Property]:
    name, _, value = text.partition("=")
    type_ = PROPERTIES[known_property(name)]
    if type_ is str:
        return name, value
    if type_ is bool and value in _BOOLEANS:
        return name, _BOOLEANS[value]
    if type_ is int and value.isascii() and value.isdigit():
        return name, int(value)
    raise ValueError(f"expected {TYPE_NAMES[type_]} as '{name}' of the device, got '{value}'")


def _text(value: Property) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
