"""`python -m examples.sample PROGRAM FILE`: writes input to try an example on.

The input is text of 2000 lines, encoded as the example's decoder expects.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from examples.data import load_example

TEXT = b"She talked to herself as she walked.\n" * 2000


def main() -> None:
    """Write the sample that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m examples.sample", description=__doc__)
    parser.add_argument("program", type=Path, metavar="PROGRAM", help="one of examples/*.mlir")
    parser.add_argument("file", type=Path, metavar="FILE", help="where to write the input")
    arguments = parser.parse_args()
    arguments.file.write_bytes(load_example(arguments.program, TEXT).encoded.tobytes())


if __name__ == "__main__":
    main()
