"""The canonical text is the same for the same structure, and different for another."""

import pytest
from hypothesis import given, settings
from support.generated.programs import Sample, programs
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.canonical_text import canonical_text, structural_hash
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.program.compilation import make_context, parse_module

CONTEXT = make_context()
TEXT = """
vyre.program @p workgroup_size [64] {
  %a = vyre.buffer @a live_out : !vyre.buffer<8xi32, read_write>
  vyre.region "g" invocations [8] {
    %i = vyre.invocation_id x
    %c = arith.constant 1 : i32
    vyre.store %c, %a[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
}
"""


def parsed(text: str) -> ModuleOp:
    return parse_module(text, CONTEXT)


def test_names_and_layout_do_not_count():
    renamed = TEXT.replace("%a", "%other").replace("%c", "%one").replace("\n", "\n\n  // a line\n")
    assert canonical_text(parsed(renamed)) == canonical_text(parsed(TEXT))


def test_symbols_count_only_where_they_are_asked_for():
    renamed = TEXT.replace("@p", "@q").replace("@a", "@b")
    assert canonical_text(parsed(renamed)) != canonical_text(parsed(TEXT))
    plain = canonical_text(parsed(TEXT), symbols=False)
    assert canonical_text(parsed(renamed), symbols=False) == plain
    assert canonical_text(parsed(TEXT.replace("8xi32", "9xi32")), symbols=False) != plain


def test_which_symbol_is_meant_counts():
    two = """
    vyre.schedule @s profile(release) {
      vyre.pass @a phase arms family scalar boundary arm preserves_abi
      vyre.pass @b phase arms family scalar boundary arm preserves_abi requires [@a]
      vyre.pass @c phase arms family scalar boundary arm preserves_abi requires [@FIRST]
    }
    """
    one, other = (parsed(two.replace("FIRST", name)) for name in "ab")
    assert canonical_text(one, symbols=False) != canonical_text(other, symbols=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("constant 1", "constant 2"),
        ("@p", "@q"),
        ('"g"', '"h"'),
        ("[64]", "[32]"),
        ("read_write", "write_only"),
        (" live_out", ""),
        ("vyre.store", "%z = vyre.invocation_id x\nvyre.store"),
    ],
)
def test_everything_else_counts(old: str, new: str):
    assert structural_hash(parsed(TEXT.replace(old, new))) != structural_hash(parsed(TEXT))


def test_the_order_of_attributes_does_not_count():
    module, other = parsed(TEXT), parsed(TEXT)
    buffer = next(op for op in other.walk() if isinstance(op, BufferOp))
    buffer.properties = dict(reversed(buffer.properties.items()))
    assert canonical_text(module) == canonical_text(other)


@pytest.mark.slow
@settings(max_examples=20)
@given(programs(), programs())
def test_texts_are_equal_exactly_where_programs_are(one: Sample, other: Sample):
    same = one.module.is_structurally_equivalent(other.module)
    assert (canonical_text(one.module) == canonical_text(other.module)) == same
    assert canonical_text(parsed(str(one.module))) == canonical_text(one.module)
