"""A parser for expressions of C, with the precedences of the standard, into nested tuples."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

Tree: TypeAlias = "str | tuple[Tree, ...]"

_TOKEN = re.compile(r"\s*([A-Za-z_]\w*|\d\w*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^!~<>?:()\[\],.])")
# ISO/IEC 9899:1999, 6.5.5 to 6.5.14, from the loosest binding on.
_LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="),
    ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
_TYPES = ("uint", "int", "long", "ulong", "uchar", "char", "bool")


def parse(text: str) -> Tree:
    """
    `a + b * c` as `("+", "a", ("*", "b", "c"))`; a conditional is `("?", condition, a, b)`, a
    cast `("cast", type, operand)`, a call `("call", function, …)` and a subscript
    `("[]", pointer, index)`.
    """
    parser = _Parser([match[1] for match in _TOKEN.finditer(text)])
    tree = parser.conditional()
    if parser.position != len(parser.tokens):
        raise ValueError(f"expected the end of '{text}', got '{parser.next}'")
    return tree


@dataclass
class _Parser:
    tokens: list[str]
    position: int = 0

    @property
    def next(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        token = self.next
        if expected and token not in expected:
            raise ValueError(f"expected {expected}, got '{token}' in '{' '.join(self.tokens)}'")
        self.position += 1
        return token

    def conditional(self) -> Tree:
        condition = self.binary(0)
        if self.next != "?":
            return condition
        self.take("?")
        true = self.conditional()
        self.take(":")
        return ("?", condition, true, self.conditional())

    def binary(self, level: int) -> Tree:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.next in _LEVELS[level]:
            left = (self.take(), left, self.binary(level + 1))
        return left

    def unary(self) -> Tree:
        if self.next in ("-", "!", "~", "+", "*", "&"):
            return (f"unary{self.take()}", self.unary())
        if self.next == "(" and self.tokens[self.position + 1] in _TYPES:
            self.take()
            type = self.take()
            self.take(")")
            return ("cast", type, self.unary())
        return self.postfix()

    def postfix(self) -> Tree:
        tree = self.primary()
        while self.next in ("(", "["):
            if self.take() == "[":
                tree = ("[]", tree, self.conditional())
                self.take("]")
            else:
                tree = ("call", tree, *self.arguments())
        return tree

    def arguments(self) -> list[Tree]:
        arguments = [self.conditional()]
        while self.take(",", ")") == ",":
            arguments.append(self.conditional())
        return arguments

    def primary(self) -> Tree:
        if self.next != "(":
            return self.take()
        self.take()
        tree = self.conditional()
        self.take(")")
        return tree
