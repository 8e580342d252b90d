"""Configuration of the FileCheck tests: `lit tests/filecheck`."""

# pyright: reportUndefinedVariable=false, reportUnknownMemberType=false
# ruff: noqa: F821

from pathlib import Path

from vyre_dialect.testing import configure

configure(config, __file__)
config.name = "vyre"
config.substitutions += [("%examples", str(Path(__file__).parents[2] / "examples"))]
