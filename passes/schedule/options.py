"""Options of passes by the names of these, as they are written in a pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ParameterListType, ParameterType, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError, PassFailedException

from vyre_dialect.messages import did_you_mean, first_line, in_lower_case

PassOptions: TypeAlias = Mapping[str, Mapping[str, ParameterListType]]
"""The options of passes, with underscores in their names; none for a pass that is only named."""

_PLACE = re.compile(r"^pass-pipeline:1:(\d+)$", re.MULTILINE)
"""Where xDSL says that a pipeline is wrong."""
_OF_ANOTHER_TYPE = ("Incompatible types", "Argument must contain a value")
"""What xDSL says of a value that an option does not take."""
_IN_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})


class MalformedPipelineError(PassFailedException):
    """What is wrong with a text that is written like a pipeline, in one line."""


def parse_specs(text: str) -> list[ArgSpec]:
    """The passes that `text` names, with their options. Raises MalformedPipelineError."""
    try:
        return [spec.normalize_parameter_names() for spec in parse_pipeline(text)]
    except (ArgSpecParseError, Exception) as error:  # the first is none of the second
        raise MalformedPipelineError(_told(error)) from error


def _told(error: BaseException) -> str:
    """What is wrong with a text that is written like a pipeline, and at which character."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip(" ^")]
    message = lines[-1] if lines else type(error).__name__
    message = in_lower_case(message).removesuffix(" here").replace("`", "'")
    place = _PLACE.search(str(error))
    return f"{message}, at character {place[1]}" if place else message


def parse_options(text: str | None) -> PassOptions:
    """
    The options of the passes that `text` names, as a pipeline does: `foo{limit=3},bar{fast=true}`.

    Raises PassFailedException for a text that is no pipeline.
    """
    try:
        return {spec.name: spec.parameters for spec in parse_specs(text or "")}
    except MalformedPipelineError as error:
        raise PassFailedException(f"malformed options '{text}': {error}") from error


def joined(defaults: PassOptions, given: PassOptions) -> PassOptions:
    """The options of `defaults`, but for those that `given` has, and the passes of both."""
    names = dict.fromkeys((*defaults, *given))
    return {name: {**defaults.get(name, {}), **given.get(name, {})} for name in names}


def unknown_option(pass_type: type[ModulePass], options: Iterable[str]) -> str | None:
    """That a pass does not have the first of `options` that it does not have, and what it has."""
    known = [field.name for field in fields(pass_type)]
    for option in options:
        if option not in known:
            hint = did_you_mean(option, known, f"it has {', '.join(known) or 'none'}")
            return f"unknown option '{option}': {hint}"
    return None


def build_pass(pass_type: type[ModulePass], spec: ArgSpec) -> ModulePass:
    """
    A pass with the options of `spec`. Raises PassFailedException, in one line that names the pass,
    for an option that it does not have, and for a value that it does not take.
    """
    if (unknown := unknown_option(pass_type, spec.parameters)) is not None:
        raise PassFailedException(f"pass '{spec.name}': {unknown}")
    if (unfit := _unfit_option(pass_type, spec)) is not None:
        raise PassFailedException(f"pass '{spec.name}': {unfit}")
    try:
        return pass_type.from_spec(spec)
    except Exception as error:  # xDSL and passes raise ValueError, TypeError and their own
        raise PassFailedException(f"pass '{spec.name}': {first_line(error)}") from error


def _unfit_option(pass_type: type[ModulePass], spec: ArgSpec) -> str | None:
    """What the first of the options of `spec` takes whose value is of another type."""
    types = get_type_hints(pass_type)
    for option, given in spec.parameters.items():
        try:
            pass_type.from_spec(ArgSpec(spec.name, {option: given}))
        except Exception as error:  # those of other kinds come up again, in the whole
            if not first_line(error).startswith(_OF_ANOTHER_TYPE):
                continue
            got = ", ".join(_shown(value) for value in given) or "none"
            return f"option '{option}' expected {_described(types[option])}, got {got}"
    return None


def _described(type: Any) -> str:
    """The values that an option of a type takes, in words."""
    origin, arguments = get_origin(type), get_args(type)
    if origin is Literal:
        *others, last = (f"'{value}'" for value in arguments)
        return f"{', '.join(others)} or {last}" if others else last
    if origin in (Union, UnionType):
        return " or ".join(_described(each) for each in arguments if each is not NoneType)
    if origin is tuple:
        return "texts with commas between" if arguments[0] is str else "values with commas between"
    return _IN_WORDS.get(type, str(type))


def _shown(value: ParameterType) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else str(value)


def options_text(options: PassOptions) -> str:
    """What `parse_options` reads as `options`."""
    specs = (
        ArgSpec(name, {key: tuple(map(_escaped, values)) for key, values in each.items()})
        for name, each in options.items()
    )
    return ",".join(map(str, specs))


def _escaped(value: ParameterType) -> ParameterType:
    return value.translate(_ESCAPES) if isinstance(value, str) else value
