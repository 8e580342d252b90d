"""Which forms a program has on a kind of device, and what they are compiled to."""

from typing import cast

import pytest
from support.optimized_examples import DEVICES

from benchmarks.gate.programs import PROGRAMS
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from vyre_dialect.runtime.tuning.kept_forms import KeptForms
from vyre_dialect.runtime.tuning.trial import Form

CONTEXT = make_context()
MODULE = load_module(PROGRAMS["xor_newlines"].path, CONTEXT)


class OnNoDevice:
    """What compiling asks of a session."""

    def __init__(self, kind: str):
        self.device = Device(None, DEVICES[kind])  # pyright: ignore[reportArgumentType]


def forms_for(kind: str, *, is_fused: bool = True) -> KeptForms:
    return KeptForms(MODULE, cast(Session, OnNoDevice(kind)), None, CONTEXT, is_fused)


def test_a_program_is_vectorized_where_it_is_not_by_default():
    assert forms_for("cpu").others() == [Form.UNFUSED]
    assert forms_for("gpu").others() == [Form.UNFUSED, Form.VECTORIZED]
    assert forms_for("gpu", is_fused=False).others() == [Form.VECTORIZED]


@pytest.mark.parametrize("kind", DEVICES)
def test_forms_have_kernels_of_their_own(kind: str):
    forms = forms_for(kind)
    default = compile_module(MODULE, context=CONTEXT, device=DEVICES[kind])
    compiled = {form: forms.compiled(form) for form in (Form.DEFAULT, *forms.others())}
    assert compiled[Form.DEFAULT].source == default.source
    assert len({each.source for each in compiled.values()}) == len(compiled)
    assert [form for form, each in compiled.items() if len(each.kernels) > 1] == [Form.UNFUSED]
