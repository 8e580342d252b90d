"""Files that are too large for one run."""

from __future__ import annotations

from typing import NoReturn

from vyre_dialect.runtime.scanning.errors import FileError


def refuse_large(size: int | None, most: int) -> NoReturn:
    """
    Raise the FileError for a file of `size` bytes, None where they are not known, of which a run
    takes `most`. Whoever can cut programs along their input has its place here.
    """
    got = "more" if size is None else f"{size} bytes"
    raise FileError(f"too large: expected up to {most} bytes for one run on the device, got {got}")
