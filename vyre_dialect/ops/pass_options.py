"""Options of passes as attributes, among them those that are properties of a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.arg_spec import ParameterListType, ParameterType
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.devices import (
    PROPERTIES,
    TYPE_NAMES,
    Properties,
    Property,
    known_kind,
    known_property,
)

MOST = (1 << 63) - 1
"""The largest number that is an option."""
_VALUES = (IntegerAttr, FloatAttr, StringAttr)


@irdl_attr_definition
class DevicePropertyAttr(ParametrizedAttribute):
    """
    A number that the device has, or a multiple of it: `#vyre.device<local_mem_bytes>`,
    `#vyre.device<compute_units * 32>`. As an option, it is that number where the device is known;
    elsewhere the option is left out, so that the pass has its default.
    """

    name = "vyre.device"

    property: StringAttr
    factor: IntAttr

    def __init__(self, property: str, factor: int = 1):
        super().__init__(StringAttr(property), IntAttr(factor))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            name = parser.parse_identifier()
            has_factor = parser.parse_optional_punctuation("*") is not None
            factor = parser.parse_integer(allow_boolean=False) if has_factor else 1
        return StringAttr(name), IntAttr(factor)

    def print_parameters(self, printer: Printer) -> None:
        factor = self.factor.data
        with printer.in_angle_brackets():
            printer.print_string(self.property.data)
            printer.print_string(f" * {factor}" if factor != 1 else "")

    def verify(self) -> None:
        try:
            type_ = PROPERTIES[known_property(self.property.data)]
        except ValueError as error:
            raise VerifyException(str(error)) from error
        if type_ is not int:
            raise VerifyException(f"expected a count as property, got '{self.property.data}'")
        if not 0 < self.factor.data <= MOST:
            raise VerifyException(f"expected a positive factor of 63 bits, got {self.factor.data}")

    def value_of(self, device: Properties) -> int | None:
        """The number for a device, at most the largest that is an option; None if not known."""
        value = device.get(self.property.data)
        return None if value is None else min(int(value) * self.factor.data, MOST)


def verify_options(options: Mapping[str, Attribute], *, of_devices: bool = False) -> None:
    """
    Raise ValueError for an option that is no integer, float, boolean or string, nor several of
    these, nor, where these are for any `of_devices`, a property of a device.
    """
    allowed, expected = _VALUES, "integers, floats, booleans or strings"
    if of_devices:
        allowed = (*_VALUES, DevicePropertyAttr)
        expected = "integers, floats, booleans, strings or properties of the device"
    for name, value in options.items():
        if not all(isinstance(each, allowed) for each in _elements(value)):
            raise ValueError(f"expected {expected} for option '{name}', got {value}")


def parameters(
    options: Mapping[str, Attribute], device: Properties = MappingProxyType({})
) -> dict[str, ParameterListType]:
    """The values of options for a device; one that it does not say is left out."""
    found = dict[str, ParameterListType]()
    for name, value in options.items():
        values = [_parameter(each, device) for each in _elements(value)]
        known = tuple(each for each in values if each is not None)
        if len(known) == len(values):
            found[name] = known
    return found


def options_attr(options: Mapping[str, ParameterListType]) -> DictionaryAttr:
    """Options as a dictionary; several values are an array."""
    entries = dict[str, Attribute]()
    for name, values in options.items():
        attributes = [_attribute(value) for value in values]
        entries[name] = attributes[0] if len(attributes) == 1 else ArrayAttr(attributes)
    return DictionaryAttr(entries)


def properties(devices: Mapping[str, Attribute]) -> Properties:
    """
    The properties that a dictionary states. Raises ValueError for one that no device has, and for
    a value of another type.
    """
    return {known_property(name): _property(name, value) for name, value in devices.items()}


def _property(name: str, value: Attribute) -> Property:
    expected = PROPERTIES[name]
    given = _parameter(value, {}) if isinstance(value, _VALUES) else None
    if given is None or isinstance(given, float) or type(given) is not expected:
        raise ValueError(f"expected {TYPE_NAMES[expected]} as '{name}' of devices, got {value}")
    return known_kind(given) if name == "kind" and isinstance(given, str) else given


def _elements(value: Attribute) -> Sequence[Attribute]:
    return tuple(value) if isinstance(value, ArrayAttr) else (value,)


def _parameter(value: Attribute, device: Properties) -> ParameterType | None:
    match value:
        case DevicePropertyAttr():
            return value.value_of(device)
        case StringAttr():
            return value.data
        case FloatAttr():
            return value.value.data
        case IntegerAttr():
            number = value.value.data
            return bool(number) if value.type == i1 else number
        case _:
            raise ValueError(f"expected an integer, a float, a boolean or a string, got {value}")


def _attribute(value: ParameterType) -> Attribute:
    match value:
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
