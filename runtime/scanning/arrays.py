"""Types of what scans compute with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Offsets: TypeAlias = NDArray[np.int64]
Places: TypeAlias = Callable[[Offsets], Offsets]
"""Where in a file, or in what a stage takes, stands what is at these offsets behind it."""
