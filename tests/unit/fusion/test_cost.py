"""What `strategy=auto` never finds cheap, by the limits for each number of invocations."""

from __future__ import annotations

from fractions import Fraction

import pytest

from vyre_dialect.passes.fusion.tiling.cost import (
    PRIVATE_BYTES,
    PRIVATE_TILE_BYTES,
    too_far_apart,
)


@pytest.mark.parametrize("invocations", range(2, 20))
def test_what_is_too_far_apart_is_dear_for_any_number_of_invocations(invocations: int) -> None:
    far = [Fraction(halves, 2) for halves in range(1, 1000) if too_far_apart(Fraction(halves, 2))]
    allowed = min(PRIVATE_BYTES * invocations, PRIVATE_TILE_BYTES)
    assert all(step * (invocations - 1) + 1 > allowed for step in far)
    assert far


def test_a_step_that_two_invocations_can_hold_is_not_too_far() -> None:
    assert not too_far_apart(Fraction(2 * PRIVATE_BYTES - 1))
