"""
What a pass or an op leaves to choose, so that a tuner enumerates it and knows no example.

A pass declares its options in `PassMetadata.parameters`; an op has the `HasParametersInterface`.
No choice changes what a program computes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

Choice: TypeAlias = int | str | bool


@dataclass(frozen=True)
class Parameter:
    """Something to choose: the name of an option of a pass, or of a property of an op."""

    name: str
    values: tuple[Choice, ...]
    """The legal values, in an order in which neighbours are alike."""
    default: Choice
    """The default."""

    def __post_init__(self):
        if self.default not in self.values:
            raise ValueError(
                f"parameter '{self.name}' expected a default among {self.values}, "
                f"got {self.default!r}"
            )


def changed(choices: Mapping[str, Choice], default: Mapping[str, Choice]) -> dict[str, Choice]:
    """The choices that are other than by default, by name."""
    return {name: choice for name, choice in choices.items() if choice != default.get(name)}


def changes_text(choices: Mapping[str, Choice], default: Mapping[str, Choice]) -> str:
    """What is chosen other than by default, in one line; empty where that is nothing."""
    return " ".join(f"{name}={choice}" for name, choice in changed(choices, default).items())


class HasParametersInterface(Operation, ABC):
    """
    An op whose expansion has parameters that change its kernels and not its results.

    What is chosen stands in the optional property of the parameter's name: an integer of i64, or
    a string. An op that keeps it elsewhere overrides `chosen` and `choose`.
    """

    @abstractmethod
    def get_parameters(self) -> Sequence[Parameter]:
        """
        What can be chosen of this op, with the values that are legal for it as it stands, whatever
        is chosen already.
        """
        raise NotImplementedError

    def chosen(self, name: str) -> Choice | None:
        """The chosen value, or None while it is left to the default."""
        attribute = self.properties.get(name)
        if isinstance(attribute, IntegerAttr):
            return attribute.value.data
        return attribute.data if isinstance(attribute, StringAttr) else None

    def choose(self, name: str, value: Choice) -> None:
        """Set a parameter. Raises ValueError for a name or a value that is not legal."""
        self.properties[name] = _attribute(_legal(self, name, value))

    def verify_choices(self) -> None:
        """Raise VerifyException for what was chosen and is not legal."""
        for parameter in self.get_parameters():
            chosen = self.chosen(parameter.name)
            if chosen is not None and chosen not in parameter.values:
                raise VerifyException(f"'{self.name}' {_expected(parameter, chosen)}")


class AskedChoices:
    """Choices that are asked for by text, as `choose_open` takes them."""

    def __init__(self, texts: Mapping[str, str]):
        self._texts = texts
        self._legal: dict[str, dict[str, None]] = {}

    def choose(self, op: HasParametersInterface) -> None:
        """Set the open parameters of `op`."""
        for parameter in op.get_parameters():
            legal = dict.fromkeys(map(str, parameter.values))
            for name in (parameter.name, f"{op.name}.{parameter.name}"):
                self._legal.setdefault(name, {}).update(legal)
        choose_open(op, self._texts)

    def problem(self) -> str | None:
        """
        What is wrong with a choice that no op could be given, if there is one. Where no op has
        anything to choose, nobody knows.
        """
        if not self._legal:
            return None
        for name, text in self._texts.items():
            legal = self._legal.get(name)
            if legal is None:
                known = ", ".join(name for name in self._legal if "." in name)
                return f"expected a parameter of the program's ops ({known}), got '{name}'"
            if text not in legal:
                return f"expected '{name}' of {', '.join(legal)}, got '{text}'"
        return None


def choose_open(op: HasParametersInterface, choices: Mapping[str, str]) -> None:
    """
    Set, by the text of each value, the open parameters of `op`, under the name of the
    parameter, or of the op and the parameter: `vyre.scan.filter.values`. Parameters that it does
    not have, and values that are not legal for it, are left out.
    """
    for parameter in open_parameters(op):
        if (value := stated_choice(op, parameter, choices)) is not None:
            op.choose(parameter.name, value)


def open_parameters(op: HasParametersInterface) -> list[Parameter]:
    """The parameters of `op` for which nothing is chosen."""
    return [each for each in op.get_parameters() if op.chosen(each.name) is None]


def stated_choice(
    op: HasParametersInterface, parameter: Parameter, choices: Mapping[str, str]
) -> Choice | None:
    """What `choices` say of a parameter of `op`, as `choose_open` takes it; None for nothing."""
    text = choices.get(f"{op.name}.{parameter.name}", choices.get(parameter.name))
    return next((each for each in parameter.values if str(each) == text), None)


def value_of(op: HasParametersInterface, name: str) -> Choice:
    """What holds of a parameter that `op` has: what was chosen, or the default."""
    chosen = op.chosen(name)
    return _parameter(op, name).default if chosen is None else chosen


def _legal(op: HasParametersInterface, name: str, value: Choice) -> Choice:
    parameter = _parameter(op, name)
    if value not in parameter.values:
        raise ValueError(f"'{op.name}' {_expected(parameter, value)}")
    return value


def _parameter(op: HasParametersInterface, name: str) -> Parameter:
    parameters = {each.name: each for each in op.get_parameters()}
    if name not in parameters:
        known = ", ".join(parameters) or "none"
        raise ValueError(f"'{op.name}' expected one of its parameters ({known}), got '{name}'")
    return parameters[name]


def _expected(parameter: Parameter, value: Choice) -> str:
    legal = ", ".join(map(str, parameter.values))
    return f"expected {parameter.name} of {legal}, got {value}"


def _attribute(value: Choice) -> Attribute:
    return IntegerAttr(value, i64) if isinstance(value, int) else StringAttr(value)
