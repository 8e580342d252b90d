"""Queries that this process has asked, ready to be asked again of data of the same form."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from threading import Lock
from typing import NamedTuple, TypeAlias

from vyre_dialect.columns.query.aggregation import AggregatePlan
from vyre_dialect.columns.query.body import most_rows
from vyre_dialect.columns.query.selection import SelectPlan
from vyre_dialect.columns.query.statement import Statement
from vyre_dialect.columns.sources import Rows
from vyre_dialect.runtime.driver.execute import built_program
from vyre_dialect.runtime.driver.job import Job
from vyre_dialect.runtime.driver.program_cache import ProgramCache
from vyre_dialect.runtime.driver.repeated_runs import PreparedProgram
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.loading import make_context
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.tuning.mode import Mode

Plan: TypeAlias = AggregatePlan | SelectPlan

_MOST = 32
"""Queries that are kept; the one that was asked the longest time ago goes first."""


class PreparedQuery(NamedTuple):
    """A query and what runs it."""

    plan: Plan
    program: PreparedProgram


class PreparedQueries:
    """Queries by what they ask, of columns of which form, on which device."""

    def __init__(self) -> None:
        self._known = OrderedDict[Hashable, PreparedQuery]()
        self._lock = Lock()

    def find(self, key: Hashable, part: Rows) -> PreparedQuery | None:
        """The query that was kept under a key, of this part."""
        with self._lock:
            known = self._known.get(key)
            if known is None:
                return None
            self._known.move_to_end(key)
        return known._replace(plan=known.plan.bound(part.columns, part.rows))

    def prepare(self, key: Hashable | None, plan: Plan, device: Device) -> PreparedQuery:
        """A query whose program is looked up or built, and kept under its key if it has one."""
        module, context = plan.program.module, make_context()
        job = Job(module, device, plan.inputs, Passes(), Mode.OFF, context)
        built = built_program(job, ProgramCache.default())
        program = PreparedProgram(module, built, Session(device), context)
        if key is not None:
            self._put(key, PreparedQuery(replace(plan, inputs={}), program))
        return PreparedQuery(plan, program)

    def _put(self, key: Hashable, query: PreparedQuery) -> None:
        with self._lock:
            self._known[key] = query
            while len(self._known) > _MOST:
                self._known.popitem(last=False)


def key_of(statement: Statement, part: Rows, device: Device) -> Hashable | None:
    """What the program for a query depends on; None where it is for these columns alone."""
    forms = tuple((name, column.form) for name, column in part.columns.items())
    if any(form is None for _, form in forms):
        return None
    asked = (statement.select, statement.where, statement.group_by)
    return (asked, device.info, device.handle.int_ptr, most_rows(part.rows), forms)
