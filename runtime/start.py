"""
Where the `vyre` command starts.

At the top, nothing is imported but what Python has loaded already: an interrupt meanwhile would be
a traceback.
"""

import sys

_INTERRUPTED = 130


def main() -> int:
    """Run the command that the arguments of the process ask for; returns the exit status."""
    try:
        from vyre_dialect.runtime.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("vyre: interrupted", file=sys.stderr)
        return _INTERRUPTED
