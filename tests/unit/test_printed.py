"""What a page shows may differ from what is printed in timings and names of devices, no more."""

import pytest
from support.printed import same_but_for_machine

SHOWN = """\
words on Intel(R) Xeon(R) Processor (Intel(R) OpenCL)
  arm                         µs  spread µs    bytes  GB/s
  decode.xor+scan.literal  777.9  770–790.5  4194312  0.10
  scan.filter                  1        1–1        8     -
total 1.801 ms, median of 9 runs
count = [2000]
words on Intel(R) Xeon(R) Processor (Intel(R) OpenCL), policy cpu
hot paths of Intel(R) Xeon(R) Processor
  arm or entry  runs  mean µs  max µs  mean bytes
  scan.sampled     9    777.9     800     4194312  hot
4 µs instead of 14243.0 µs, 13.02 times as fast: items=4
"""


def test_timings_devices_and_padding_may_differ() -> None:
    printed = """\
words on AMD EPYC (Portable Computing Language)
  arm                          µs    spread µs    bytes  GB/s
  decode.xor+scan.literal  1777.9  1770.1–1801  4194312  2.10
  scan.filter                  11       9–12.5        8     -
total 12.001 ms, median of 9 runs
count = [2000]
words on AMD EPYC (Intel(R) OpenCL), policy cpu
hot paths of AMD EPYC
  arm or entry  runs  mean µs  max µs  mean bytes
  scan.sampled     9   1777.9  1980.3     4194312  hot
1094.2 µs instead of 9 µs, 2.02 times as fast: items=4
"""
    assert same_but_for_machine(SHOWN, printed)
    assert not same_but_for_machine(SHOWN, printed.replace("(Portable Computing Language)", ""))


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("decode.xor+scan.literal", "decode.hex+scan.literal"),  # a word in a line of timings
        ("790.5  4194312  0.10", "790.5  4194313  0.10"),  # an integer between timings
        ("770–790.5", "770–"),
        ("     9    777.9     800", "    10    777.9     800"),
        ("  hot", ""),
        ("     -\n", "  0.10\n"),
        ("  mean bytes", ""),
        ("median of 9 runs", "median of 10 runs"),
        ("total 1.801 ms", "total 1.801 MB"),
        ("total 1.801 ms", "sum 1.801 ms"),
        ("[2000]", "[2001]"),
        ("count = [2000]\n", ""),
        ("count = [2000]\n", "count = [2000]\nsum = [1]\n"),
        ("items=4", "items=8"),
        ("policy cpu", "policy gpu"),
        ("total", "letters"),
        ("hot paths of", "paths of"),
    ],
)
def test_nothing_else_may_differ(line: str, instead: str) -> None:
    assert SHOWN.count(line) == 1
    assert not same_but_for_machine(SHOWN, SHOWN.replace(line, instead))
    assert not same_but_for_machine(SHOWN.replace(line, instead), SHOWN)


def test_the_order_of_lines_counts() -> None:
    lines = SHOWN.splitlines()
    assert not same_but_for_machine(SHOWN, "\n".join([lines[-1], *lines[:-1]]))


def test_a_decimal_that_is_no_timing_counts() -> None:
    assert not same_but_for_machine("  peak  1.02", "  peak  1.03")
    assert not same_but_for_machine("OpenCL 1.2", "OpenCL 3.0")


def test_more_may_be_printed_only_after_dots() -> None:
    assert same_but_for_machine("one\n...", "one\ntwo\nthree")
    assert not same_but_for_machine("two\n...", "one\ntwo\nthree")
    assert not same_but_for_machine("one\n...\nthree", "one\ntwo\nthree")
    assert not same_but_for_machine("one\ntwo\n...", "one")
