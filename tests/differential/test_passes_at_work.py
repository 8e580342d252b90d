"""The programs that show what passes are for compute what NumPy does, in every form."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from benchmarks.passes_at_work import FORMS, PROGRAMS
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.program.compilation import load_module, make_context, optimize_module

RANDOM = np.random.default_rng(3)
TAGS = {"errors": b"[error]", "warnings": b"[warn] ", "notes": b"[note] "}
RECORD, GROUP, INVOCATIONS, LIMIT = 12, 64, 4096, 550


def outputs_of(name: str, form: str, inputs: Mapping[str, Array]) -> Mapping[str, Array]:
    """What a program computes once it is compiled."""
    (path,) = (each for each in PROGRAMS if each.stem == name)
    context = make_context()
    module = load_module(path, context)
    optimize_module(module, FORMS[form], context)
    return interpret(module, inputs).outputs


@pytest.mark.one_in(6)
@pytest.mark.parametrize("form", FORMS)
def test_tags(form: str) -> None:
    words = [*TAGS.values(), b"[error", b"warn] ", b"x"]
    places: list[int] = RANDOM.integers(0, len(words), 500).tolist()
    text = b"".join(words[each] for each in places)
    found = outputs_of("tags", form, {"text": np.frombuffer(text, np.uint8)})
    counts = {name: int(found[name].view(np.int32)[0]) for name in TAGS}
    assert counts == {name: text.count(tag) for name, tag in TAGS.items()}


@pytest.mark.parametrize("form", FORMS)
def test_records(form: str) -> None:
    words = RANDOM.integers(0, 100, RECORD * 5000 + 5, dtype=np.int32)
    totals = words[: RECORD * 5000].reshape(-1, RECORD).sum(1)
    expected = np.zeros(GROUP, np.int64)
    workgroups = np.arange(len(totals)) % INVOCATIONS // GROUP
    np.add.at(expected, workgroups, np.where(totals > LIMIT, totals, 0))
    limit = np.array([LIMIT], np.int32)
    found = outputs_of("records", form, {"records": words, "limits": limit})
    assert found["sums"].view(np.int32).tolist() == expected.tolist()
