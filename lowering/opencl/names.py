"""Names and comments of OpenCL C: identifiers that are valid, unique and free of meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from vyre_dialect.messages import printable

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while
bool uchar ushort uint ulong half quad complex imaginary
true false memory_order memory_scope
global local constant private kernel generic pipe read_only write_only read_write uniform
asm typeof vector vec_step main defined likely unlikely unix linux i386
"""
_FUNCTIONS = """
get_global_id get_local_id get_group_id barrier
abs clz max min mul_hi popcount
islessgreater isnan isordered isunordered signbit
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf exp exp2 expm1 fabs floor fma
fmax fmin log log10 log1p log2 pow pown rint round rsqrt sin sinh sqrt tan tanh trunc
"""
"""The functions that kernels call, which a variable of the same name would hide."""

_RESERVED = frozenset((_KEYWORDS + _FUNCTIONS).split())
# What starts with an underscore belongs to compilers, macros of their own among it.
_RESERVED_PREFIXES = re.compile(r"_|vyre_|aliased_|as_|convert_|vload|vstore|atom_|atomic_|cl_")
_NO_FUNCTION = re.compile(r"[^A-Za-z]|vyre_|aliased_|.*\W", re.ASCII)
_VECTOR_TYPE = re.compile(r"(u?(char|short|int|long)|float|double|half|bool|quad)\d+(x\d+)?$")
_TYPE_BY_CUSTOM = re.compile(r"\w+_t$")
_MACRO = re.compile(r"[A-Z0-9_]+$")
"""By custom; nothing else tells a macro of a standard, a vendor or a driver from other names."""


@dataclass
class Names:
    """Gives out identifiers, each once."""

    _taken: set[str] = field(default_factory=set[str])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])
    """The last number that a stem was given out with, up to which all are taken."""

    def copy(self) -> Names:
        """The same names taken, so that attempts can be undone."""
        return Names(set(self._taken), dict(self._numbers))

    def fresh(self, wish: str) -> str:
        """An unused identifier close to `wish`."""
        stem = identifier(wish)
        name, number = stem, self._numbers.get(stem, 0)
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._numbers[stem] = number
        self._taken.add(name)
        return name


def identifier(wish: str) -> str:
    """A valid identifier close to `wish`; one with a meaning of its own gets a `_` behind it."""
    name = re.sub(r"\W+", "_", wish, flags=re.ASCII)
    if not name.strip("_") or name[0].isdigit():
        name = f"v{name.strip('_')}"
    if _RESERVED_PREFIXES.match(name) or _MACRO.match(name):
        return f"v_{name}"
    if name in _RESERVED or _VECTOR_TYPE.match(name) or _TYPE_BY_CUSTOM.match(name):
        return f"{name}_"
    return name


def is_function_name(name: str) -> bool:
    """Whether a kernel may be called `name`."""
    refusals = (_NO_FUNCTION, _VECTOR_TYPE, _MACRO)
    return name not in _RESERVED and not any(each.match(name) for each in refusals)


def comment(text: str) -> str:
    """
    A comment of one line that says `text`, without what might continue it on the next line, which
    is a backslash at its end or the trigraph that stands for one, and without what no terminal
    shows; a NUL would end the program.
    """
    line = " ".join(printable(text).split()).replace("\\", "/")
    return f"// {line.replace('??/', '?? /')}"
