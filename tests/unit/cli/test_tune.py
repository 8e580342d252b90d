"""What `vyre tune` says of its arguments."""

import pytest

from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.cli.tune import why_it_stays


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--show", "--input", "in=x"], "argument --input: not allowed with argument --show"),
        (["--clear", "--plot", "x.svg"], "argument --plot: not allowed with argument --clear"),
        (["--show", "--evaluations", "3"], "argument --evaluations: not allowed with argument"),
        (["--show", "--profile", "dataflow"], "argument --profile: not allowed with argument"),
        (["double.mlir", "--show"], "expected one of FILE, --show and --clear"),
        (["x.mlir", "--seconds", "9" * 400], "argument --seconds: expected a positive number, got"),
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


@pytest.mark.parametrize(
    ("noise", "said"),
    [
        (0.02, "nothing is faster by more than 2.0%"),
        (28.7, "it differs from itself by 2870%, more than there is to gain: a larger input,"),
    ],
)
def test_why_the_default_stays(noise: float, said: str) -> None:
    assert why_it_stays(noise).startswith(said)
