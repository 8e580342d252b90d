"""What schedules say of passes, as attributes, and the decisions on them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition

from vyre_dialect.ir.scheduling import Boundary, Family, Phase, Profile, Reason


@irdl_attr_definition
class ProfileAttr(EnumAttribute[Profile], SpacedOpaqueSyntaxAttribute):
    """A profile, as an attribute."""

    name = "vyre.profile"


@irdl_attr_definition
class PhaseAttr(EnumAttribute[Phase], SpacedOpaqueSyntaxAttribute):
    """A phase, as an attribute."""

    name = "vyre.phase"


@irdl_attr_definition
class FamilyAttr(EnumAttribute[Family], SpacedOpaqueSyntaxAttribute):
    """A family of passes, as an attribute."""

    name = "vyre.family"


@irdl_attr_definition
class BoundaryAttr(EnumAttribute[Boundary], SpacedOpaqueSyntaxAttribute):
    """A boundary, as an attribute."""

    name = "vyre.boundary"


@irdl_attr_definition
class ReasonAttr(EnumAttribute[Reason], SpacedOpaqueSyntaxAttribute):
    """The reason of a decision, as an attribute."""

    name = "vyre.reason"


@dataclass(frozen=True)
class Decision:
    """Whether a pass runs, and what decided that."""

    selected: bool
    reason: Reason
    evidence: str | None = None
    """What was looked at: a fact of the program, a key of the hints, another pass."""
    measured: int | None = None
    threshold: int | None = None

    @classmethod
    def of(
        cls,
        reason: Reason,
        evidence: str | None = None,
        measured: int | None = None,
        threshold: int | None = None,
    ) -> Decision:
        """The decision that follows from a reason."""
        return cls(reason.selects, reason, evidence, measured, threshold)

    @property
    def priority(self) -> int:
        """How strong the evidence is."""
        return self.reason.priority if self.selected else 0

    def __str__(self) -> str:
        said = str(self.reason)
        if self.evidence is None:
            return said
        if self.measured is None:
            return f"{said}: {self.evidence}"
        return f"{said}: {self.evidence} {self.measured}, threshold {self.threshold}"
