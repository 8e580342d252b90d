"""Tables of what is known about ops: vyre's own, those registered, those of other packages."""

import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint, EntryPoints
from threading import Event
from types import ModuleType

import pytest
from support.foreign_ops import MeetOp, MixOp, PairSumOp
from xdsl.ir import Operation

from vyre_dialect.ir import implementations
from vyre_dialect.ir.implementations import Implementations, Registry

GROUP = "vyre.test"


def table(**known: type[Operation]) -> Implementations[str]:
    return Implementations({op: text for text, op in known.items()})


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that can be imported as `acme_tables`."""
    module = ModuleType("acme_tables")
    monkeypatch.setitem(sys.modules, "acme_tables", module)
    return module


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Other packages name `acme_tables:TABLE`; the groups that were searched for."""
    asked = list[str]()

    def entry_points(group: str) -> EntryPoints:
        asked.append(group)
        return EntryPoints([EntryPoint("acme", "acme_tables:TABLE", group)])

    monkeypatch.setattr(implementations, "entry_points", entry_points)
    return asked


def test_a_decorated_function_is_about_its_ops():
    known = Implementations[object]()

    @known.impl(MixOp, MeetOp)
    def function() -> None: ...

    assert known.by_op == {MixOp: function, MeetOp: function}


def test_own_tables_are_imported_when_first_asked(modules: ModuleType, searches: list[str]):
    registry = Registry[str](GROUP, ["acme_tables:ONE", "acme_tables:TWO"])
    modules.__dict__.update(ONE=table(mix=MixOp), TWO=table(meet=MeetOp))
    assert registry.find(MixOp) == "mix" and registry.find(MeetOp) == "meet"
    assert searches == [], "other packages are not asked about what vyre knows"


def test_tables_can_be_registered(modules: ModuleType, searches: list[str]):
    modules.__dict__.update(ONE=table(mix=MixOp), TABLE=table())
    registry = Registry[str](GROUP, ["acme_tables:ONE"])
    registry.register(table(other=MixOp, meet=MeetOp))
    assert registry.find(MixOp) == "mix", "what was known before stays"
    assert registry.find(MeetOp) == "meet"


def test_other_packages_are_asked_once(modules: ModuleType, searches: list[str]):
    modules.__dict__.update(TABLE=table(meet=MeetOp))
    registry = Registry[str](GROUP, [])
    assert registry.find(MeetOp) == "meet"
    assert registry.find(PairSumOp) is None and registry.find(MixOp) is None
    assert searches == [GROUP]


def test_a_broken_package_is_named_and_left_out(modules: ModuleType, searches: list[str]):
    del modules
    registry = Registry[str](GROUP, [])
    message = r"'acme' of 'vyre\.test' \(acme_tables:TABLE\) failed: .*has no attribute 'TABLE'"
    with pytest.warns(RuntimeWarning, match=message):
        assert registry.find(MeetOp) is None
    with warnings.catch_warnings(action="error"):
        assert registry.find(MeetOp) is None
    assert searches == [GROUP]


def test_a_thread_that_asks_while_another_loads_finds_what_is_known(modules: ModuleType) -> None:
    begun, rest = Event(), table(known=MixOp)

    def load(name: str) -> Implementations[str]:
        assert name == "TABLE"
        begun.set()
        time.sleep(0.05)
        return rest

    modules.__dict__["__getattr__"] = load
    registry = Registry[str](GROUP, ["acme_tables:TABLE"])
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(registry.find, MixOp)
        begun.wait()
        assert registry.find(MixOp) == "known"
        assert first.result() == "known"
