"""What `vyre devices --calibrate` measures, and how it shows that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.terminal import print_json, print_table, progress_bar

if TYPE_CHECKING:
    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.tuning.calibration import Observation
    from vyre_dialect.runtime.tuning.device_model import DeviceModel


def calibrate_device(device: Device, *, as_json: bool) -> None:
    """Measure what a device takes, keep it and show it. Raises what compiling and running does."""
    from vyre_dialect.runtime.opencl.session import Session
    from vyre_dialect.runtime.tuning.calibration import fitted, observe
    from vyre_dialect.runtime.tuning.device_model_file import DeviceModelFile

    session = Session(device)
    with progress_bar() as progress:
        observed = observe(session, progress=progress)
    model = fitted(observed, device.info)
    kept = DeviceModelFile.of(device.info)
    path = kept.file.path if kept is not None and kept.put(model) else None
    if as_json:
        print_json(
            {
                "device": device.info.label,
                "kept": None if path is None else str(path),
                **_as_json(model),
                "launches": [_observation_as_json(each, model) for each in observed],
            }
        )
        return
    _print(model, device, len(observed))
    print("it is not kept: nothing is" if path is None else f"kept in {path}")


def _as_json(model: DeviceModel) -> dict[str, object]:
    return {
        "ns": dict(model.ns),
        "cache_bytes": model.cache_bytes,
        "error": model.error,
        **model.details,
    }


def _observation_as_json(observed: Observation, model: DeviceModel) -> dict[str, object]:
    return {
        "program": observed.program,
        "form": observed.form,
        "arm": observed.launch.generator,
        "input_bytes": observed.size,
        "held_back": observed.is_held_back,
        "ns": observed.ns,
        "predicted_ns": model.predict([observed.launch]).ns,
        "work": observed.launch.likely.as_dict(),
    }


def _print(model: DeviceModel, device: Device, launches: int) -> None:
    rows: Sequence[tuple[str, ...]] = [
        (kind.replace("_", " "), f"{ns:.3g}", f"{1 / ns:.3g}" if ns else "-")
        for kind, ns in model.ns.items()
    ]
    columns = ("kind of work", "ns for one", "10⁹ a second")
    print_table(f"what {device.info.label} takes", columns, rows)
    print(f"cache: {model.cache_bytes / 2**20:.0f} MiB")
    print(
        f"median error: {model.error:.0%} on {model.details['held_back_launches']} launches that "
        f"were held back, {model.details['fit_error']:.0%} on the others of {launches}"
    )
