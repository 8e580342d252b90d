"""Every pass earns its place: it changes a program that is shipped."""

import pytest

from benchmarks.passes_at_work import passes_at_work
from vyre_dialect.universe import PASSES


@pytest.mark.slow
def test_every_pass_changes_a_program_that_is_shipped() -> None:
    found = passes_at_work()
    idle = [name for name, forms in found.items() if not any(forms.values())]
    assert {*idle} & {*PASSES} == set()
