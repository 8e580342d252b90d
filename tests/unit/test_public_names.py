"""Every public name has its signature, what its numbers count, and its errors in the reference."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module

from support.documents import ROOT
from support.public import (
    UNITS,
    Public,
    is_number,
    parameters,
    public_definitions,
    raised,
)

import vyre
from vyre_dialect import builder

PUBLIC = list(public_definitions())
FUNCTIONS = [each for each in PUBLIC if isinstance(each.node, ast.FunctionDef)]
CLASSES = [each for each in PUBLIC if isinstance(each.node, ast.ClassDef)]
ERRORS = {"VyreError": ("UsageError", "DeviceError", "OutOfMemoryError", "RefusedStreamError")}
"""Errors that are also named by what they are a kind of."""
OVERLOADED = ["vyre_dialect.builder.program.Program.arm"]
"""Properties that are a function with several signatures, which no annotation can say."""


def test_what_is_public_is_found() -> None:
    found = {each.where for each in PUBLIC}
    assert len(found) > 200
    assert "vyre_dialect.runtime.compiled.Compiled.stream" in found
    assert "vyre_dialect.builder.control_flow.for_" in found


def test_every_name_of_the_builder_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference.md").read_text() + (ROOT / "docs" / "api.md").read_text()
    missing = [name for name in (*vyre.__all__, *builder.__all__) if name not in page]
    assert missing == []


def test_every_public_definition_says_what_it_is() -> None:
    assert [each.where for each in PUBLIC if not each.said and not is_known(each)] == []


def is_known(public: Public) -> bool:
    """Whether it is described where it is declared: an overload, or a method of an interface."""
    if public.owner is None or not isinstance(public.node, ast.FunctionDef):
        return False
    return public.node.name == "__init__" or is_said_of_a_base(public)


def is_said_of_a_base(public: Public) -> bool:
    """Whether a class that the owner of a method is derived from says what the method does."""
    assert public.owner is not None
    owner: type[object] = getattr(import_module(public.module), public.owner.name)
    methods = (vars(base).get(public.node.name) for base in owner.__mro__[1:])
    return any(method is not None and method.__doc__ for method in methods)


def test_every_parameter_and_result_has_a_type() -> None:
    untyped = [
        f"{each.where}({parameter.arg})"
        for each in FUNCTIONS
        if isinstance(each.node, ast.FunctionDef)
        for parameter in parameters(each.node)
        if parameter.annotation is None
    ]
    assert untyped == []
    without = [
        each.where
        for each in FUNCTIONS
        if isinstance(each.node, ast.FunctionDef)
        and each.node.returns is None
        and each.node.name != "__init__"
    ]
    assert without == OVERLOADED


def test_every_number_says_what_it_counts() -> None:
    assert sorted(unsaid_numbers()) == []


def unsaid_numbers() -> Iterator[str]:
    """Numbers of which neither the name nor the docstring says what they are."""
    for each in FUNCTIONS:
        assert isinstance(each.node, ast.FunctionDef)
        for parameter in parameters(each.node):
            is_said = UNITS.search(parameter.arg) or f"`{parameter.arg}`" in each.said
            if is_number(parameter.annotation) and not is_said:
                yield f"{each.where}({parameter.arg})"
    for each in CLASSES:
        yield from (f"{each.where}.{name}" for name in unsaid_fields(each))


def unsaid_fields(public: Public) -> Iterator[str]:
    body = public.node.body
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            is_said = isinstance(following, ast.Expr) or f"`{name}`" in public.said
            if is_number(statement.annotation) and not UNITS.search(name) and not is_said:
                if not name.startswith("_"):
                    yield name


def test_every_error_is_told() -> None:
    untold = {
        each.where: sorted(missing)
        for each in FUNCTIONS
        if (missing := {error for error in raised(each) if not is_told(each, error)})
    }
    assert untold == {}


def test_the_reference_has_the_errors_that_are_told() -> None:
    """Also where an example stands before them."""
    page = (ROOT / "docs" / "reference.md").read_text()
    listed = [
        told
        for each in FUNCTIONS
        if f"### `{each.module}`" in page
        for told in re.findall(r"Raises [^.]*", " ".join(each.said.split()))
    ]
    assert len(listed) > 20
    assert [told for told in listed if told not in page] == []


def is_told(public: Public, error: str) -> bool:
    """Whether a function, or the class of a method, says that it raises an error."""
    return tells(public.said, error) or tells(public.said_of_class, error)


def tells(said: str, error: str) -> bool:
    """Whether a docstring names an error, or what it is a kind of, as something that is raised."""
    kinds = [error, *(kind for kind, errors in ERRORS.items() if error in errors)]
    told = " ".join(re.findall(r"[Rr]aise[sd]?\b.*", " ".join(said.split())))
    return any(re.search(rf"\b{kind}\b", told) for kind in kinds)


def test_an_error_that_is_not_told_is_noticed() -> None:
    assert not tells("Gives a UsageError.", "UsageError")
    assert tells("Cuts it. Raises a VyreError where\nit cannot.", "UsageError")
    assert not tells("Raises a KeyError.", "UsageError")
