"""A program on each of many files: what is wrong with all of them is said before any is read."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from support.clusters import doubled_sum

from vyre_dialect.runtime.distributed.cluster import Cluster
from vyre_dialect.runtime.distributed.file_runs import run_each_on_cluster
from vyre_dialect.runtime.errors import UsageError

NOBODY = cast("Cluster", None)
"""A cluster of which nothing is asked."""


@pytest.mark.parametrize(("name", "other"), [("txet", "text"), ("text", "txet")])
def test_an_input_that_the_program_lacks_is_an_error_of_its_own(name: str, other: str) -> None:
    others = {other: np.zeros(4, np.int32)}
    with pytest.raises(UsageError, match="unknown input 'txet'"):
        next(run_each_on_cluster(doubled_sum(), [], name, others, NOBODY))
