"""What an op says about itself to the passes, wherever the op is defined."""

from __future__ import annotations

from abc import ABC, abstractmethod

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern


class HasExpansionInterface(Operation, ABC):
    """
    An op of a decode or scan library, which `vyre-expand` turns into arms.

    Its patterns build the arms at the place of the op, and erase the op. An op of another
    package needs no more than this interface to be expanded.
    """

    @classmethod
    @abstractmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        """The patterns that expand the op, imported when asked for; the first that matches wins."""
        raise NotImplementedError
