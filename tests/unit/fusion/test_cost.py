"""What `strategy=auto` never finds cheap, by the limits for each number of invocations."""

from __future__ import annotations

from fractions import Fraction

import pytest

from vyre_dialect.passes.fusion.tiling.cost import Limits

LIMITS = (Limits.of("dedicated"), Limits.of("global"))


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("invocations", range(2, 20))
def test_what_is_too_far_apart_is_dear_for_any_number_of_invocations(
    limits: Limits, invocations: int
) -> None:
    steps = [Fraction(halves, 2) for halves in range(1, 2000)]
    far = [step for step in steps if limits.are_too_far_apart(step)]
    allowed = min(limits.consumer_bytes * invocations, limits.tile_bytes)
    assert all(step * (invocations - 1) + 1 > allowed for step in far)
    assert far


@pytest.mark.parametrize("limits", LIMITS)
def test_a_step_that_two_invocations_can_hold_is_not_too_far(limits: Limits) -> None:
    assert not limits.are_too_far_apart(Fraction(2 * limits.consumer_bytes - 1))
