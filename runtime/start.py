"""
Where the `vyre` command starts.

At the top, nothing is imported but what Python has loaded already: an interrupt meanwhile would be
a traceback.
"""

import sys


def main() -> int:
    """Run the command that the arguments of the process ask for; returns the exit status."""
    try:
        sys.unraisablehook = _interrupt_again
        from vyre_dialect.runtime.cli import main as run

        return run()
    except (KeyboardInterrupt, Exception) as error:
        from vyre_dialect.runtime.errors import INTERRUPTED, is_interrupt

        if not is_interrupt(error):
            raise
        print("vyre: interrupted", file=sys.stderr)
        return INTERRUPTED


def _interrupt_again(ignored: "sys.UnraisableHookArgs") -> None:
    """Interrupt once more where Python ignores what is raised, as in what follows an import."""
    if ignored.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(ignored)
        return
    import signal
    import threading

    whom = threading.main_thread().ident, signal.SIGINT
    again = threading.Timer(0.01, signal.pthread_kill, whom)  # when this has returned
    again.daemon = True
    again.start()
