"""What a command says about an error."""

from __future__ import annotations


def message_of(err: str) -> str:
    """The one line of an error; below it stands at most its line of the program, with a caret."""
    message, *shown = err.splitlines()
    assert err.endswith("\n")
    assert not shown or (len(shown) == 2 and shown[1].strip() == "^"), err
    return message
