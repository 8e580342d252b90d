"""What ops mean: said by vyre, by what is registered, and by other packages, each op once."""

import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules
from threading import Event
from types import ModuleType

import pytest
from support.foreign_ops import MeetOp, MixOp, PairSumOp
from xdsl.dialects import arith, math, scf, vector
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect import meanings as own
from vyre_dialect.builder.values import Value
from vyre_dialect.dialect import Vyre
from vyre_dialect.ir import meaning
from vyre_dialect.ir.interfaces import ids_of_class
from vyre_dialect.ir.meaning import FACETS, GROUP, Facet, Meaning, Meanings, Registry, unsaid
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp
from vyre_dialect.ops.program import ProgramOp, RegionOp

FILES = [each.name for each in iter_modules(own.__path__) if each.name != "homes"]
ROOT = Path(__file__).parents[3]
PLACE = "acme_meanings:{}"


def saying(**known: type[Operation]) -> Meanings:
    """Each op's C is the function of this name in `acme_meanings`."""
    meanings = Meanings()
    for name, op in known.items():
        meanings.row(op, expression=PLACE.format(name))
    return meanings


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that can be imported as `acme_meanings`."""
    module = ModuleType("acme_meanings")
    monkeypatch.setitem(sys.modules, "acme_meanings", module)
    return module


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Other packages name `acme_meanings:OPS`; the groups that were searched for."""
    asked = list[str]()

    def entry_points(group: str) -> EntryPoints:
        asked.append(group)
        return EntryPoints([EntryPoint("acme", "acme_meanings:OPS", group)])

    monkeypatch.setattr(meaning, "entry_points", entry_points)
    return asked


def place_of(registry: Registry, op: type[Operation]) -> str | None:
    """The name of the function that is an op's C."""
    described = registry.find(op)
    return None if described is None else described.part("expression")


def test_a_class_describes_its_ops():
    ops = Meanings()

    @ops.describe(MixOp, MeetOp)
    class Mix(Meaning):
        def numpy(self, op: Operation) -> str:
            return self._word(op)

        def _word(self, op: Operation) -> str:
            return f"mixes {op.name}"

    assert Mix().numpy
    for op in (MixOp, MeetOp):
        described = ops.by_op[op]
        assert described.states("numpy") and not described.states("range")
        assert described.part("numpy")(arith.ConstantOp.from_int_and_width(0, i32)).endswith(
            "arith.constant"
        )


def test_what_is_no_facet_is_refused():
    with pytest.raises(TypeError, match=r"^'acme.mix' says 'opencl', expected some of 'definit"):

        @Meanings().describe(MixOp)
        class Mix(Meaning):  # pyright: ignore[reportUnusedClass]
            def opencl(self) -> None: ...


def test_what_is_no_op_is_refused():
    with pytest.raises(TypeError, match=r"^expected the class of an op .*, got 'acme.mix'$"):
        Meanings().row("acme.mix", range="a:b")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("place", "expected", "got"),
    [
        ("acme_meanings", "'module:name' or 'module:name(word, …)'", "no such text"),
        ("acme_meaning:mix", "a module that can be imported", "No module named 'acme_meaning'"),
        ("acme_meanings:mixed", "a name of 'acme_meanings'", "none of that name"),
    ],
)
def test_a_wrong_place_is_told_with_the_op(
    package: ModuleType, place: str, expected: str, got: str
):
    ops = Meanings()
    ops.row(MeetOp, MixOp, range=place)
    with pytest.raises(DiagnosticException) as raised:
        ops.by_op[MixOp].part("range")
    assert str(raised.value) == (
        f"'range' of 'acme.mix' is said to be at '{place}': expected {expected}, got {got}; "
        "correct the row that says so"
    )


def test_a_facet_is_one_of_those_that_there_are():
    with pytest.raises(TypeError, match=r"^expected a facet, or 'text_' and .*, got 'opencl'$"):
        Facet[object]("opencl")


@pytest.mark.parametrize(("one", "other"), [("numpy", "step"), ("expression", "statement")])
def test_an_op_has_one_of_two_that_exclude_each_other(one: str, other: str):
    with pytest.raises(TypeError, match=f"^'acme.mix' says '{one}' and '{other}', expected one"):
        Meanings().row(MixOp, **{one: "a:b", other: "a:c"})


def words(*given: str) -> tuple[str, ...]:
    return given


def test_a_row_names_where_parts_are(package: ModuleType):
    package.__dict__.update(plain=1, made=words)
    homes = {"expression": "acme_"}
    ops = Meanings(homes)
    ops.row(MixOp, expression="meanings:plain", range="acme_meanings:made(a, /)")
    assert ops.by_op[MixOp].part("expression") == 1
    assert ops.by_op[MixOp].part("range") == ("a", "/")
    assert ops.by_op[MixOp].part("affine") is None


def test_a_part_follows_from_the_definition_where_it_is_not_said(package: ModuleType):
    made = list[Callable[..., Value]]()

    def derive(definition: Callable[..., Value]) -> str:
        made.append(definition)
        return "derived"

    package.__dict__.update(derive=derive, said="said")
    ops = Meanings()

    @ops.describe(MixOp)
    class Mix(Meaning):  # pyright: ignore[reportUnusedClass]
        def definition(self, op: MixOp, lhs: Value, rhs: Value) -> Value:
            return lhs * 31 ^ rhs

    ops.row(MeetOp, expression=PLACE.format("said"))
    derived = PLACE.format("derive")
    assert ops.by_op[MixOp].part("expression", derived) == "derived"
    assert ops.by_op[MixOp].part("expression", derived) == "derived"
    assert len(made) == 1
    assert ops.by_op[MixOp].part("expression") is None
    assert ops.by_op[MeetOp].part("expression", derived) == "said"
    assert ops.by_op[MeetOp].part("range", derived) is None


def test_own_files_are_imported_when_first_asked(package: ModuleType, searches: list[str]):
    registry = Registry(["acme_meanings:ONE", "acme_meanings:TWO"])
    package.__dict__.update(mix="mix", meet="meet", ONE=saying(mix=MixOp))
    assert place_of(registry, MixOp) == "mix"
    package.__dict__.update(TWO=saying(meet=MeetOp))
    assert place_of(registry, MeetOp) == "meet"
    assert searches == [], "other packages are not asked about what vyre knows"


def test_meanings_can_be_registered(package: ModuleType, searches: list[str]):
    package.__dict__.update(mix="mix", meet="meet", other="other")
    package.__dict__.update(ONE=saying(mix=MixOp), OPS=saying())
    registry = Registry(["acme_meanings:ONE"])
    registry.register(saying(other=MixOp, meet=MeetOp))
    assert place_of(registry, MixOp) == "mix", "what was known before stays"
    assert place_of(registry, MeetOp) == "meet"


def test_other_packages_are_asked_once(package: ModuleType, searches: list[str]):
    package.__dict__.update(meet="meet", OPS=saying(meet=MeetOp))
    registry = Registry([])
    assert place_of(registry, MeetOp) == "meet"
    assert registry.find(PairSumOp) is None and registry.find(MixOp) is None
    assert searches == [GROUP]


@pytest.mark.parametrize(
    ("names", "reason"),
    [({}, ".*has no attribute 'OPS'"), ({"OPS": {}}, "expected 'Meanings', got 'dict'")],
)
def test_a_broken_package_is_named_and_left_out(
    names: dict[str, object], reason: str, package: ModuleType, searches: list[str]
):
    package.__dict__.update(names)
    registry = Registry([])
    message = rf"'acme' of 'vyre\.ops' \(acme_meanings:OPS\) failed: {reason}"
    with pytest.warns(RuntimeWarning, match=message):
        assert registry.find(MeetOp) is None
    with warnings.catch_warnings(action="error"):
        assert registry.find(MeetOp) is None
    assert searches == [GROUP]


def test_a_thread_that_asks_while_another_loads_finds_what_is_known(package: ModuleType) -> None:
    begun, rest = Event(), saying(known=MixOp)

    def load(name: str) -> Meanings:
        assert name == "OPS"
        begun.set()
        time.sleep(0.05)
        return rest

    package.__dict__.update(known="known", __getattr__=load)
    registry = Registry(["acme_meanings:OPS"])
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(place_of, registry, MixOp)
        begun.wait()
        assert place_of(registry, MixOp) == "known"
        assert first.result() == "known"


def test_it_is_said_what_is_missing():
    assert unsaid(MixOp, "numpy") == ("no package describes it in the entry point group 'vyre.ops'")
    assert unsaid(ProgramOp) == "no row of 'vyre_dialect.meanings' describes it"
    assert unsaid(arith.AddfOp, "range", "definition") == (
        "its description has none of 'range', 'definition'"
    )


TAKES = dict.fromkeys((*FACETS, "text_gpu_mlir"), 2) | {"numpy": 1}
"""How many arguments the parts take, in all facets that rows have."""


@pytest.mark.parametrize("file", FILES)
def test_every_row_names_functions_that_take_what_they_get(file: str) -> None:
    rows: Meanings = import_module(f"{own.__name__}.{file}").OPS
    assert rows.by_op
    for op, described in rows.by_op.items():
        for facet in filter(described.states, TAKES):
            parameters = signature(described.part(facet)).parameters
            assert len(parameters) == takes(op, facet), (op.name, facet)


def takes(op: type[Operation], facet: str) -> int:
    """The arguments of a part: a definition takes each operand."""
    if facet != "definition":
        return TAKES[facet]
    assert issubclass(op, IRDLOperation)
    return 1 + len(op.get_irdl_definition().operands)


def test_every_file_of_rows_is_asked_and_no_op_is_in_two() -> None:
    assert sorted(meaning.OPS._own) == [f"{own.__name__}.{file}:OPS" for file in sorted(FILES)]
    ops = [op for file in FILES for op in import_module(f"{own.__name__}.{file}").OPS.by_op]
    assert len(ops) == len(set(ops))


UNDESCRIBED = {
    # Arms and what the host does are no part of an arm.
    *("vyre.program", "vyre.region", "vyre.kernel", "vyre.launch"),
    *("vyre.schedule", "vyre.pass", "vyre.request"),
    *("scf.parallel", "scf.forall", "scf.reduce", "scf.reduce.return", "scf.forall.in_parallel"),
}


@pytest.mark.parametrize("dialect", [arith.Arith, math.Math, scf.Scf])
def test_every_scalar_op_is_described(dialect: object) -> None:
    operations: list[type[Operation]] = list(dialect.operations)  # pyright: ignore
    missing = {op.name for op in operations if meaning.OPS.find(op) is None}
    assert missing <= UNDESCRIBED


def test_ops_of_vyre_inside_arms_are_described() -> None:
    facets = [Facet[object](name) for name in ("definition", "numpy", "step")]
    undescribed = {op.name for op in Vyre.operations if not any(f.of(op) for f in facets)}
    assert RegionOp.name in undescribed
    assert {name for name in undescribed if name.count(".") == 1} <= UNDESCRIBED
    assert vector.FMAOp in import_module(f"{own.__name__}.vectors").OPS.by_op


def test_ops_of_vyre_inside_arms_say_which_ids_they_depend_on() -> None:
    described = [op for op in Vyre.operations if meaning.OPS.find(op) is not None]
    silent = {op.name for op in described if ids_of_class(op) is None}
    assert silent == {CheckWholeWorkgroupsOp.name}  # which the host does


LAYERS = {
    "numpy": "vyre_dialect.runtime.interpreter",
    "expression": "vyre_dialect.lowering",
    "text_gpu_mlir": "vyre_dialect.lowering",
    "affine": "islpy",
    "lanes": "vyre_dialect.passes",
    "narrow": "vyre_dialect.passes",
}
"""What each part is made of, and nothing else is."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("facet", LAYERS)
def test_only_the_layer_is_loaded_that_asks(facet: str) -> None:
    code = f"""
import subprocess
import sys
from xdsl.dialects.arith import AddiOp
from vyre_dialect.ir.meaning import Facet
assert Facet("{facet}").of(AddiOp) is not None
loaded = {{name for name in {[*LAYERS.values()]!r} if name in sys.modules}}
print(*sorted(loaded))
"""
    printed = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert printed == [LAYERS[facet]]


@pytest.mark.slow
def test_a_program_of_vyre_asks_no_package() -> None:
    code = """
from vyre_dialect.ir import meaning
from vyre_dialect.runtime.cli import main
main(["compile", "examples/xor_literal.mlir", "-o", "/dev/null"])
main(["run", "examples/xor_literal.mlir", "--device", "reference", "--input", "encoded=zeros:64"])
print("asked" if meaning.OPS._searched else "not asked")
"""
    printed = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT)
    assert printed.splitlines()[-1] == "not asked"
