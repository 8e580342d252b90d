"""What other packages name is asked for, and may be broken, which is no reason to do nothing."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import EntryPoint


@contextmanager
def warned_if_broken(entry: EntryPoint) -> Generator[None]:
    """Turn what goes wrong with an entry point of another package into a warning that names it."""
    try:
        yield
    except Exception as error:
        warnings.warn(
            f"entry point '{entry.name}' of '{entry.group}' ({entry.value}) failed: {error}",
            RuntimeWarning,
            stacklevel=3,
        )
