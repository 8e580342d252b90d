"""What `vyre tune` says of its arguments."""

import pytest

from vyre_dialect.runtime.cli import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--show", "--input", "in=x"], "argument --input: not allowed with argument --show"),
        (["--clear", "--plot", "x.svg"], "argument --plot: not allowed with argument --clear"),
        (["--show", "--evaluations", "3"], "argument --evaluations: not allowed with argument"),
        (["--show", "--profile", "dataflow"], "argument --profile: not allowed with argument"),
        (["double.mlir", "--show"], "expected one of FILE, --show and --clear"),
        ([], "expected one of FILE, --show and --clear"),
    ],
)
def test_what_is_kept_is_shown_and_cleared_alone(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["tune", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"vyre: error: {message}")
    assert said.count("\n") == 1
