"""How the digits of a text are told from whitespace."""

from __future__ import annotations

import numpy as np
import pytest

from vyre_dialect.runtime.scanning.chain import HEX, Stage
from vyre_dialect.runtime.scanning.digits import digits_of


@pytest.mark.parametrize(("size", "is_copied"), [(1 << 16, False), ((1 << 16) + 2, True)])
def test_one_line_that_ends_within_the_head_is_not_copied(size: int, is_copied: bool):
    data = np.full(size, ord("6"), np.uint8)
    digits = digits_of(data, Stage(HEX)).digits
    assert np.array_equal(digits, data)
    assert np.shares_memory(digits, data) != is_copied
