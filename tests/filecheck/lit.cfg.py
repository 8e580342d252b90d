"""Configuration of the FileCheck tests: `lit tests/filecheck`."""

# pyright: reportUndefinedVariable=false, reportUnknownMemberType=false
# pyright: reportMissingTypeStubs=false
# ruff: noqa: F821

import os
import sys
from pathlib import Path

import lit.formats

config.name = "vyre"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = str(Path(__file__).parent)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]

# The tools of the environment that lit itself runs in, whether or not it is activated.
config.environment["PATH"] = os.pathsep.join(
    [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
)
for variable in ("HOME", "PYTHONPATH", "XDG_CACHE_HOME", "OCL_ICD_VENDORS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

config.substitutions += [
    (
        "XDSL_ROUNDTRIP",
        "xdsl-opt %s --print-op-generic --split-input-file"
        " | xdsl-opt --split-input-file | filecheck %s",
    ),
    (
        "XDSL_GENERIC_ROUNDTRIP",
        "xdsl-opt %s --print-op-generic --split-input-file"
        " | filecheck %s --check-prefix=CHECK-GENERIC",
    ),
    ("%python", sys.executable),
    ("%examples", str(Path(__file__).parents[2] / "examples")),
]

config.maxIndividualTestTime = 60
