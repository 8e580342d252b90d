"""
The hot-path table of an adapter, kept between processes as JSON that `vyre-select-passes` reads.

Each row says under which driver and version of vyre it was measured. One of another driver or
version is stale: nobody uses it, it is counted, and it goes once there are too many rows.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vyre_dialect.passes.schedule.hints import HOT_NS
from vyre_dialect.runtime.opencl.devices import DeviceInfo
from vyre_dialect.runtime.opencl.kernel_cache import vyre_version
from vyre_dialect.runtime.tuning.adapter import Adapter
from vyre_dialect.runtime.tuning.hot_paths import CAPACITY, HotPathTable, RegionRecord
from vyre_dialect.runtime.tuning.kept_file import KeptFile, kept_folder

_TEXTS = ("generator", "structural_hash", "driver", "vyre")
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
        if not all(type(count) is int and count >= 0 for count in counts):
            raise ValueError(f"expected counts as {', '.join(_COUNTS)}")
        generator, structural_hash, driver, vyre = (_text(value[name]) for name in _TEXTS)
        return cls(generator, structural_hash, driver, vyre, RegionRecord(*counts))


@dataclass(frozen=True)
class HotPathFile:
    """The rows of one adapter; those of the present driver and version of vyre are fresh."""

    file: KeptFile
    adapter: Adapter
    driver: str
    vyre: str = field(default_factory=vyre_version)
    capacity: int = CAPACITY

    @classmethod
    def of(cls, device: DeviceInfo) -> HotPathFile | None:
        """The file of a device in the cache of this user; None where nothing is kept."""
        adapter = Adapter.of(device)
        if (path := hot_path_of(adapter)) is None:
            return None
        return cls(KeptFile(path), adapter, device.driver)

    def rows(self) -> list[Row]:
        """All rows, the one used last at the end. One that makes no sense is left out."""
        return self._understood(self.file.read())[0]

    def is_stale(self, row: Row) -> bool:
        """Whether a row was measured under another driver or version of vyre."""
        return (row.driver, row.vyre) != (self.driver, self.vyre)

    def is_hot(self, generator: str, structural_hash: str) -> bool:
        """Whether the mean time of fresh samples of an arm or a program reaches the threshold."""
        sought = (generator, structural_hash)
        return any(
            row.record.mean_kernel_ns >= HOT_NS
            for row in self.rows()
            if (row.generator, row.structural_hash) == sought and not self.is_stale(row)
        )

    def add(self, table: HotPathTable) -> None:
        """Count the samples of `table`, too, whatever other processes have added meanwhile."""
        if not len(table):
            return

        def update(data: bytes | None) -> bytes:
            rows, is_whole = self._understood(data)
            if data is not None and not is_whole:
                aside = self.file.set_aside(data)
                warnings.warn(f"'{self.file.path}' is damaged: kept as '{aside}'", stacklevel=2)
            return self._text(self._merged(rows, table)).encode()

        self.file.change(update)

    def create(self) -> None:
        """Let there be a file, without rows where there was none."""
        self.file.change(lambda data: self._text([]).encode() if data is None else data)

    def clear(self) -> None:
        """Forget all rows."""
        self.file.change(lambda _: None)

    def _merged(self, rows: list[Row], table: HotPathTable) -> list[Row]:
        known = {(row.generator, row.structural_hash, row.driver, row.vyre): row for row in rows}
        for (generator, structural_hash), record in table:
            key = (generator, structural_hash, self.driver, self.vyre)
            row = known.pop(key, None) or Row(*key, RegionRecord())
            row.record.add(record)
            known[key] = row  # the last, now
        return list(known.values())[-self.capacity :] if self.capacity else []

    def _text(self, rows: list[Row]) -> str:
        header: dict[str, object] = {
            "platform": self.adapter.platform,
            "device": self.adapter.device,
            "driver": self.driver,
            "vyre": self.vyre,
            "hot_ns_threshold": HOT_NS,
        }
        lines = ",\n".join(f"  {json.dumps(row.as_json())}" for row in rows)
        fields = "".join(f' "{name}": {json.dumps(value)},\n' for name, value in header.items())
        return f'{{\n{fields} "rows": [\n{lines}\n ]\n}}\n'

    def _understood(self, data: bytes | None) -> tuple[list[Row], bool]:
        """The rows of a file, and whether all of it made sense."""
        if data is None:
            return [], True
        try:
            values = json.loads(data)["rows"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return [], False
        if not isinstance(values, list):
            return [], False
        rows = list[Row]()
        is_whole = True
        for value in values:  # pyright: ignore[reportUnknownVariableType]
            try:
                rows.append(Row.from_json(value))  # pyright: ignore[reportUnknownArgumentType]
            except (ValueError, KeyError, TypeError):
                is_whole = False
        return rows, is_whole


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, got {value!r}")
    return value


def hot_path_of(adapter: Adapter) -> Path | None:
    """Where the table of an adapter is kept; None where nothing is."""
    folder = kept_folder("hot-paths")
    return None if folder is None else folder / f"{adapter.file_stem}.json"
