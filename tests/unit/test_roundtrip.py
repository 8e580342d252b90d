"""Random programs print and parse back to themselves, in the custom and the generic form."""

from io import StringIO

import pytest
from support.generated.drawing import Draws, for_each
from support.generated.structures import Example, programs
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.scf import Scf
from xdsl.parser import Parser
from xdsl.printer import Printer

from vyre_dialect.dialect import Vyre


def printed(module: ModuleOp, generic: bool) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


def parsed(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Arith, Scf, Vyre):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


@pytest.mark.one_in(2)
@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_round_trip(generic: bool, draws: Draws):
    def check(example: Example) -> None:
        text = printed(example.module, generic)
        again = parsed(text)
        assert again.is_structurally_equivalent(example.module)
        assert printed(again, generic) == text

    for_each(programs(), check, examples=draws(30))
