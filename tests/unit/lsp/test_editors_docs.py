"""The settings that docs/editors.md shows start the command that there is."""

from __future__ import annotations

import re
import tomllib

from support.documents import ROOT, blocks_of

from vyre_dialect.runtime.cli import COMMANDS

SHOWN = dict(blocks_of(ROOT / "docs" / "editors.md"))
NAMES = {command.__name__.rpartition(".")[2] for command in COMMANDS}


def test_the_settings_of_helix_start_the_server() -> None:
    server = tomllib.loads(SHOWN["toml"])["language-server"]["vyre"]
    assert server["command"] == "vyre"
    assert set(server["args"]) <= NAMES


def test_the_settings_of_neovim_start_the_server() -> None:
    (found,) = re.findall(r'cmd = { "vyre", "(\w+)" }', SHOWN["lua"])
    assert found in NAMES
