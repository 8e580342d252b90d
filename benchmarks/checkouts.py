"""Other checkouts of vyre, whose sources run in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]
"""The checkout of these sources."""


def last_line(checkout: Path, script: str, *arguments: object) -> str:
    """
    The last line that a script of Python prints, with the sources of a checkout. Raises a
    CalledProcessError where it fails.
    """
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(checkout), *sys.path[1:]])},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1]
