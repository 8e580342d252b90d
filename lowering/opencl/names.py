"""Names and comments of OpenCL C: identifiers that are valid, unique and free of meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while
bool uchar ushort uint ulong half quad complex imaginary size_t ptrdiff_t intptr_t uintptr_t
true false event_t sampler_t image1d_t image2d_t image3d_t
global local constant private kernel generic pipe read_only write_only read_write uniform
NULL INFINITY NAN MAXFLOAT HUGE_VAL FLT_MAX FLT_MIN DBL_MAX DBL_MIN
asm vector vec_step main defined likely unlikely
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
_RESERVED_PREFIXES = re.compile(
    r"__|vyre_|aliased_|as_|convert_|vload|vstore|atom_|atomic_|CLK_|cl_"
)
_VECTOR_TYPE = re.compile(r"(u?(char|short|int|long)|float|double|half|bool)\d+$")


@dataclass
class Names:
    """Gives out identifiers, each once."""

    _taken: set[str] = field(default_factory=set[str])

    def copy(self) -> Names:
        """The same names taken, so that attempts can be undone."""
        return Names(set(self._taken))

    def fresh(self, wish: str) -> str:
        """An unused identifier close to `wish`."""
        stem = identifier(wish)
        name, number = stem, 0
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name


def identifier(wish: str) -> str:
    """A valid identifier close to `wish`; one with a meaning of its own gets a `_` behind it."""
    name = re.sub(r"\W+", "_", wish, flags=re.ASCII)
    if not name.strip("_") or name[0].isdigit():
        name = f"v{name.strip('_')}"
    if _RESERVED_PREFIXES.match(name):
        return f"v_{name}"
    if name in _RESERVED or _VECTOR_TYPE.match(name):
        return f"{name}_"
    return name


def comment(text: str) -> str:
    """
    A comment of one line that says `text`, without what might continue it on the next line:
    a backslash at its end, or the trigraph that stands for one.
    """
    line = " ".join(text.split()).replace("\\", "/")
    return f"// {line.replace('??/', '?? /')}"
