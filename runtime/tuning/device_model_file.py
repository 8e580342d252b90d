"""
The model of a device that was calibrated, kept between processes as TOML, one file per adapter.

One of another driver or version of vyre is stale, and not used: both change what kernels take.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from sys import float_info
from typing import TYPE_CHECKING, Any, cast

from vyre_dialect.runtime.opencl.kernel_cache import vyre_version
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.tuning.adapter import Adapter
from vyre_dialect.runtime.tuning.kept_file import KeptFile, kept_folder
from vyre_dialect.runtime.tuning.kept_toml import read_toml

if TYPE_CHECKING:
    from vyre_dialect.runtime.tuning.device_model import DeviceModel


@dataclass(frozen=True)
class DeviceModelFile:
    """What one adapter takes, as it was measured under a driver and a version of vyre."""

    file: KeptFile
    driver: str
    vyre: str = field(default_factory=vyre_version)

    @classmethod
    def of(cls, device: DeviceInfo) -> DeviceModelFile | None:
        """The file of a device in the cache of this user; None where nothing is kept."""
        path = device_model_path(Adapter.of(device))
        return None if path is None else cls(KeptFile(path), device.driver)

    def get(self) -> DeviceModel | None:
        """The model, if there is one that is fresh; a warning where it makes no sense."""
        if (data := self.file.read()) is None:
            return None
        try:
            value = read_toml(data)
            if (value["driver"], value["vyre"]) != (self.driver, self.vyre):
                return None
            return _model(value)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            what = f"no {error}" if isinstance(error, KeyError) else str(error)
            message = f"'{self.file.path}' is damaged: {what}; calibrate the device again"
            warnings.warn(message, stacklevel=2)
            return None

    def put(self, model: DeviceModel) -> bool:
        """Keep a model in place of another one; False, with a warning, where that fails."""
        import tomli_w

        text = tomli_w.dumps(
            {
                "driver": self.driver,
                "vyre": self.vyre,
                "when": datetime.now(UTC).replace(microsecond=0),
                "error": model.error,
                "cache_bytes": model.cache_bytes,
                "ns": dict(model.ns),
            }
        )
        return self.file.change(lambda _: text.encode())


def _model(value: Mapping[str, Any]) -> DeviceModel:
    """The model that a file holds. Raises ValueError, KeyError and TypeError."""
    # Later, as programs that were kept run without the IR of anything.
    from vyre_dialect.analysis.work import KINDS
    from vyre_dialect.runtime.tuning.device_model import DeviceModel

    if not isinstance(value["ns"], dict):
        raise ValueError("expected a table as 'ns'")
    times = cast(dict[str, Any], value["ns"])
    if unknown := sorted(times.keys() - set(KINDS)):
        raise ValueError(f"expected kinds of work in 'ns', got '{unknown[0]}'")
    ns = {kind: _number(times, kind) for kind in times}
    error, cache_bytes = _number(value, "error"), _number(value, "cache_bytes")
    return DeviceModel(ns, cache_bytes, error, is_calibrated=True)


def _number(value: Mapping[str, Any], name: str) -> float:
    number = value[name]
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError(f"expected a number as '{name}', got {number!r}")
    if not 0 <= number <= float_info.max:
        raise ValueError(f"expected a number of 0 or more as '{name}', got {number!r:.40}")
    return float(number)


def device_model_path(adapter: Adapter) -> Path | None:
    """Where the model of an adapter is kept; None where nothing is."""
    folder = kept_folder("device-models")
    return None if folder is None else folder / f"{adapter.file_stem}.toml"


def model_of(device: DeviceInfo) -> DeviceModel:
    """What is known of a device: what was measured on it, or what devices of its kind take."""
    from vyre_dialect.runtime.tuning.device_model import built_in

    kept = DeviceModelFile.of(device)
    calibrated = None if kept is None else kept.get()
    return calibrated or built_in(device)
