"""Which forms a program has on a kind of device, and what they are compiled to."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.optimized_examples import DEVICES

from benchmarks.gate.programs import PROGRAMS
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from vyre_dialect.runtime.tuning.device_model import DeviceModel
from vyre_dialect.runtime.tuning.device_model_file import DeviceModelFile
from vyre_dialect.runtime.tuning.kept_forms import KeptForms, by_prediction
from vyre_dialect.runtime.tuning.trial import Form

CONTEXT = make_context()
MODULE = load_module(PROGRAMS["xor_newlines"].path, CONTEXT)


def forms_for(kind: str, *, is_fused: bool = True) -> KeptForms:
    return KeptForms(MODULE, DEVICES[kind], None, CONTEXT, is_fused)


def test_a_program_is_vectorized_where_it_is_not_by_default():
    assert forms_for("cpu").others() == [Form.UNFUSED]
    assert forms_for("gpu").others() == [Form.UNFUSED, Form.VECTORIZED]
    assert forms_for("gpu", is_fused=False).others() == [Form.VECTORIZED]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", DEVICES)
def test_forms_have_kernels_of_their_own(kind: str):
    forms = forms_for(kind)
    default = compile_module(MODULE, context=CONTEXT, device=DEVICES[kind])
    compiled = {form: forms.compiled(form) for form in (Form.DEFAULT, *forms.others())}
    assert compiled[Form.DEFAULT].source == default.source
    assert len({each.source for each in compiled.values()}) == len(compiled)
    assert [form for form, each in compiled.items() if len(each.kernels) > 1] == [Form.UNFUSED]


@pytest.fixture
def of_arithmetic(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[float], None]:
    """Keeps a model in which all but reading and writing is free, for a GPU."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def keep(error: float) -> None:
        kept = DeviceModelFile.of(DEVICES["gpu"])
        assert kept is not None
        times = {"launches": 1.0, "read_bytes": 1.0, "written_bytes": 1.0}
        kept.put(DeviceModel(times, 0.0, error, is_calibrated=True))

    return keep


INPUTS = {"encoded": bytes(1 << 20)}


def test_without_calibration_every_form_is_tried(of_arithmetic: Callable[[float], None]):
    assert forms_for("gpu").promising(INPUTS) == [Form.UNFUSED, Form.VECTORIZED]
    del of_arithmetic


@pytest.mark.slow
def test_the_form_that_is_predicted_best_is_tried_first_and_the_hopeless_not_at_all(
    of_arithmetic: Callable[[float], None],
):
    # Unfused, three times as many bytes are read and written.
    of_arithmetic(0.9)
    assert forms_for("gpu").promising(INPUTS) == [Form.VECTORIZED, Form.UNFUSED]
    of_arithmetic(0.1)
    assert forms_for("gpu").promising(INPUTS) == [Form.VECTORIZED]


HALO = load_module(PROGRAMS["smoothed_samples"].path, CONTEXT)
"""Fused, it decodes some samples again for their neighbours."""
HALO_SIZES = {"samples": 1 << 20}


def is_fused_by(kind: str) -> bool:
    module, optimize = by_prediction(HALO, DEVICES[kind], None, CONTEXT, HALO_SIZES)
    device = DEVICES[kind]
    return compile_module(module, optimize=optimize, context=CONTEXT, device=device).is_fused


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("kind", "error", "is_fused"),
    [("steps", 0.05, False), ("steps", 0.3, True), ("written_bytes", 0.05, True)],
)
def test_what_is_predicted_slower_fused_is_not_fused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, error: float, is_fused: bool
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert by_prediction(HALO, DEVICES["gpu"], None, CONTEXT, HALO_SIZES) == (HALO, None)
    kept = DeviceModelFile.of(DEVICES["gpu"])
    assert kept is not None
    kept.put(DeviceModel({kind: 1.0}, 0.0, error, is_calibrated=True))
    assert is_fused_by("gpu") == is_fused
