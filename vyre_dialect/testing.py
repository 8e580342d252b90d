"""
Sets up lit for FileCheck tests of vyre or of a package beside it. A `lit.cfg.py` needs two lines.

    from vyre_dialect.testing import configure

    configure(config, __file__)
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

SUBSTITUTIONS = {
    "XDSL_ROUNDTRIP": "xdsl-opt %s --print-op-generic --split-input-file"
    " | xdsl-opt --split-input-file | filecheck %s",
    "XDSL_GENERIC_ROUNDTRIP": "xdsl-opt %s --print-op-generic --split-input-file"
    " | filecheck %s --check-prefix=CHECK-GENERIC",
    "%python": sys.executable,
}
"""What the tests may write beside lit's own `%s` and `%t`."""

PASSED_ON = ("HOME", "PYTHONPATH", "XDG_CACHE_HOME", "OCL_ICD_VENDORS")
"""The variables of the environment that the tests see, where they are set."""

MOST_SECONDS = 60


def configure(config: Any, file: str) -> None:
    """
    Let lit run the `.mlir` and `.test` files beside the configuration `file`, with the tools of
    the environment that lit runs in, whether or not that is activated.
    """
    import lit.formats  # pyright: ignore[reportMissingTypeStubs]

    folder = Path(file).resolve().parent
    config.name = folder.parent.name
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.test_source_root = str(folder)
    config.suffixes = [".mlir", ".test"]
    config.excludes = ["Inputs"]
    config.environment["PATH"] = os.pathsep.join(
        [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    )
    for variable in PASSED_ON:
        if variable in os.environ:
            config.environment[variable] = os.environ[variable]
    config.substitutions += list(SUBSTITUTIONS.items())
    config.maxIndividualTestTime = MOST_SECONDS
