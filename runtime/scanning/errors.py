"""What goes wrong with one file, while others go on."""

from __future__ import annotations

from vyre_dialect.runtime.errors import VyreError


class FileError(VyreError):
    """A file that cannot be scanned: unreadable, too large, or not encoded as it should be."""

    def __init__(self, message: str, offset: int | None = None):
        super().__init__(message if offset is None else f"{message} at offset {offset}")
        self.message = message
        self.offset = offset
        """Of the byte of the file that is wrong, where there is one."""


def too_large(size: int | None, most: int) -> FileError:
    """Of a file of `size` bytes, None where they are not known, of which a run takes `most`."""
    got = "more" if size is None else f"{size} bytes"
    return FileError(f"too large: expected up to {most} bytes for one run on the device, got {got}")


def unreadable(error: OSError | ValueError) -> FileError:
    """Of a file or folder that cannot be opened or read."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return FileError(f"cannot read it: {reason}")


class ScanError(VyreError):
    """The scan itself failed; as of grep, the exit status says that there may be matches."""

    exit_status = 2
