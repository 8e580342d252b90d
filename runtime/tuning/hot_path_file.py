"""
The hot-path table of an adapter, kept between processes as JSON that `vyre-select-passes` reads.

Each row says under which driver and version of vyre it was measured. One of another driver or
version is stale: it is not used, it is counted, and it goes once there are too many rows.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard, cast

from vyre_dialect.passes.schedule.hints import HOT_NS
from vyre_dialect.runtime.opencl.kernel_cache import vyre_version
from vyre_dialect.runtime.program.decision import MOST_KEPT
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.tuning.adapter import Adapter
from vyre_dialect.runtime.tuning.hot_paths import CAPACITY, HotPathTable, RegionRecord
from vyre_dialect.runtime.tuning.kept_file import KeptFile, kept_folder

_TEXTS = ("generator", "structural_hash", "driver", "vyre")
_SETTINGS = {"hot_ns_threshold", "capacity"}
_COUNTS = ("dispatch_count", "kernel_ns_total", "kernel_ns_max", "bytes_total")


@dataclass(frozen=True)
class Row:
    """What is kept of an arm, or, under its `entry_op_id`, of a program."""

    generator: str
    structural_hash: str
    driver: str
    vyre: str
    record: RegionRecord = field(compare=False)

    def as_json(self) -> dict[str, object]:
        """The row as the file has it."""
        return {
            "generator": self.generator,
            "structural_hash": self.structural_hash,
            "driver": self.driver,
            "vyre": self.vyre,
            **asdict(self.record),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Row:
        """The row that a JSON value stands for. Raises ValueError, KeyError and TypeError."""
        counts = [value[name] for name in _COUNTS]
        if not all(map(_is_count, counts)):
            raise ValueError(f"expected counts as {', '.join(_COUNTS)}")
        generator, structural_hash, driver, vyre = (_text(value[name]) for name in _TEXTS)
        return cls(generator, structural_hash, driver, vyre, RegionRecord(*counts))


@dataclass(frozen=True)
class Table:
    """What a file holds: its rows, the one used last at the end, and what was set for them."""

    rows: tuple[Row, ...] = ()
    hot_ns_threshold: int = HOT_NS
    """Mean time, in ns, from which on a row is hot."""
    capacity: int = CAPACITY
    """How many rows are kept."""
    is_damaged: bool = False
    """Whether anything in the file made no sense, and was left out."""

    @classmethod
    def from_json(cls, data: bytes) -> Table:
        """The table that the bytes of a file stand for, whatever they are."""
        try:
            value = json.loads(data)
            rows, settings = value["rows"], {name: value[name] for name in _SETTINGS & value.keys()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return cls(is_damaged=True)
        if not isinstance(rows, list):
            return cls(is_damaged=True)
        known = {name: each for name, each in settings.items() if _is_count(each)}
        understood = [_row(each) for each in cast(list[Any], rows)]
        whole = tuple(row for row in understood if row is not None)
        is_damaged = len(known) < len(settings) or len(whole) < len(understood)
        return cls(whole, **known, is_damaged=is_damaged)

    def is_hot(self, row: Row) -> bool:
        """Whether the mean time of a row reaches the threshold."""
        record = row.record
        return bool(record.dispatch_count) and record.mean_kernel_ns >= self.hot_ns_threshold


@dataclass(frozen=True)
class HotPathFile:
    """The table of one adapter; rows of the present driver and version of vyre are fresh."""

    file: KeptFile
    adapter: Adapter
    driver: str
    vyre: str = field(default_factory=vyre_version)

    @classmethod
    def of(cls, device: DeviceInfo) -> HotPathFile | None:
        """The file of a device in the cache of this user; None where nothing is kept."""
        adapter = Adapter.of(device)
        if (path := hot_path_of(adapter)) is None:
            return None
        return cls(KeptFile(path), adapter, device.driver)

    def read(self) -> Table:
        """What is kept. Warns where that is damaged in part."""
        table = self._understood(self.file.read())
        if table.is_damaged:
            message = f"'{self.file.path}' is damaged: what makes no sense in it is left out"
            warnings.warn(message, stacklevel=2)
        return table

    def is_stale(self, row: Row) -> bool:
        """Whether a row was measured under another driver or version of vyre."""
        return (row.driver, row.vyre) != (self.driver, self.vyre)

    def is_hot(self, generator: str, structural_hash: str) -> bool:
        """Whether the mean time of fresh samples of an arm or a program reaches the threshold."""
        sought, table = (generator, structural_hash), self.read()
        return any(
            table.is_hot(row) and not self.is_stale(row)
            for row in table.rows
            if (row.generator, row.structural_hash) == sought
        )

    def add(self, samples: HotPathTable) -> None:
        """Count `samples`, too, whatever other processes have added meanwhile."""
        if len(samples):
            self._change(lambda table: self._merged(table, samples))

    def set(self, *, hot_ns_threshold: int | None = None, capacity: int | None = None) -> None:
        """Set from which mean time on a row is hot, in ns, and how many rows are kept."""
        given = {"hot_ns_threshold": hot_ns_threshold, "capacity": capacity}
        changes = {name: value for name, value in given.items() if value is not None}
        self._change(lambda table: replace(table, **changes))

    def create(self) -> None:
        """Let there be a file, without rows where there was none."""
        self._change(lambda table: table)

    def clear(self) -> None:
        """Forget all rows; what was set stays."""
        self._change(lambda table: replace(table, rows=()))

    def _change(self, change: Callable[[Table], Table]) -> None:
        """Put what `change` makes of the table in its place; keep one that is damaged aside."""

        def update(data: bytes | None) -> bytes:
            table = self._understood(data)
            if data is not None and table.is_damaged:
                aside = self.file.set_aside(data)
                warnings.warn(f"'{self.file.path}' is damaged: kept as '{aside}'", stacklevel=2)
            return self._text(change(table)).encode()

        self.file.change(update)

    def _merged(self, table: Table, samples: HotPathTable) -> Table:
        known = {
            (row.generator, row.structural_hash, row.driver, row.vyre): row for row in table.rows
        }
        for (generator, structural_hash), record in samples:
            key = (generator, structural_hash, self.driver, self.vyre)
            row = known.pop(key, None) or Row(*key, RegionRecord())
            row.record.add(record)
            known[key] = row  # the last, now
        return replace(table, rows=tuple(known.values()))

    def _text(self, table: Table) -> str:
        header: dict[str, object] = {
            "platform": self.adapter.platform,
            "device": self.adapter.device,
            "driver": self.driver,
            "vyre": self.vyre,
            "hot_ns_threshold": table.hot_ns_threshold,
            "capacity": table.capacity,
        }
        rows = table.rows[-table.capacity :] if table.capacity else ()
        lines = ",\n".join(f"  {json.dumps(row.as_json())}" for row in rows)
        fields = "".join(f' "{name}": {json.dumps(value)},\n' for name, value in header.items())
        return f'{{\n{fields} "rows": [\n{lines}\n ]\n}}\n'

    def _understood(self, data: bytes | None) -> Table:
        return Table() if data is None else Table.from_json(data)


def _row(value: Any) -> Row | None:
    try:
        return Row.from_json(value)
    except (ValueError, KeyError, TypeError):
        return None


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MOST_KEPT


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, got {value!r}")
    return value


def hot_path_of(adapter: Adapter) -> Path | None:
    """Where the table of an adapter is kept; None where nothing is."""
    folder = kept_folder("hot-paths")
    return None if folder is None else folder / f"{adapter.file_stem}.json"
