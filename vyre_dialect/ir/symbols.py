"""Which op of a module has a name, without a look at each op for each reference."""

from __future__ import annotations

from weakref import WeakKeyDictionary, WeakValueDictionary

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolOpInterface, SymbolTable

_tables = WeakKeyDictionary[Operation, WeakValueDictionary[str, Operation]]()
"""Of each module, the ops by the names that they had at the last look."""


def lookup_symbol(module: Operation, reference: SymbolRefAttr) -> Operation | None:
    """
    As xDSL's `SymbolTable.lookup_symbol`, in time that does not grow with the module: what the
    last look found holds while it is in the module under that name. As MLIR's
    `SymbolTableCollection`, but nothing has to be told of changes.
    """
    if reference.nested_references:
        return SymbolTable.lookup_symbol(module, reference)
    name = reference.root_reference.data
    known = _tables.get(module)
    found = None if known is None else known.get(name)
    if found is not None and found.parent_op() is module and _name_of(found) == name:
        return found
    table = WeakValueDictionary[str, Operation]()
    for op in module.regions[0].block.ops:
        if (own := _name_of(op)) is not None:
            table.setdefault(own, op)
    _tables[module] = table
    return table.get(name)


def _name_of(op: Operation) -> str | None:
    symbol = op.get_trait(SymbolOpInterface)
    name = None if symbol is None else symbol.get_sym_attr_name(op)
    return None if name is None else name.data
