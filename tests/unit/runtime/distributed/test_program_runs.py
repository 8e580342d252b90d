"""Programs on the workers of a cluster, here of one process, by the interpreter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.clusters import appended, cluster_here, doubled_sum, expected_peaks, peaks

from examples.data import EXAMPLES
from vyre_dialect import distributed
from vyre_dialect.runtime.distributed import shards
from vyre_dialect.runtime.distributed.contents import FileRange
from vyre_dialect.runtime.errors import RefusedStreamError, UsageError, VyreError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.program.input_files import InputFile

REFERENCE = "reference"


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster_here(2) as found:
        yield found


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "LEAST_BYTES", 64)


def text_of(size: int) -> Array:
    return np.random.default_rng(7).integers(0, 256, size, np.uint8)


def test_shards_of_a_file_give_what_all_of_it_gives(client: Any, tmp_path: Path) -> None:
    text = text_of(5003)
    text.tofile(path := tmp_path / "text")
    run = distributed.run(peaks(), {"text": path}, scheduler=client, device=REFERENCE)
    assert len(run.arms) == 1
    assert run.device == "2 workers with reference"
    for name, array in expected_peaks(text).items():
        np.testing.assert_array_equal(run.outputs[name], array)


def test_workers_read_ranges_alone(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text_of(5003).tofile(path := tmp_path / "text")
    read = list[int]()
    reads = FileRange.read

    def noted(self: FileRange) -> Array:
        read.append(self.size)
        return reads(self)

    monkeypatch.setattr(FileRange, "read", noted)
    distributed.run(peaks(), {"text": path}, scheduler=client, device=REFERENCE)
    assert len(read) == 8, "four for each worker"
    assert max(read) < 5003 // 7
    assert sum(read) == 5003 + 2 * 7, "each cut has a halo of one on each side"


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_an_input_too_small_to_be_cut_is_one_shard(client: Any, size: int) -> None:
    text = text_of(size)
    run = distributed.run(peaks(), {"text": text}, scheduler=client, device=REFERENCE)
    for name, array in expected_peaks(text).items():
        np.testing.assert_array_equal(run.outputs[name], array)


def test_what_needs_all_shards_runs_behind_them(client: Any, tmp_path: Path) -> None:
    numbers = np.arange(3000, dtype=np.int32)
    np.save(path := tmp_path / "numbers.npy", numbers)
    run = distributed.run(doubled_sum(), {"text": path}, scheduler=client, device=REFERENCE)
    assert run.outputs["twice"].tolist() == [2 * numbers.sum()]
    assert list(run.outputs) == ["twice"]


def test_an_array_of_other_order_is_sent(client: Any, tmp_path: Path) -> None:
    numbers = np.arange(3000, dtype=">i4")
    np.save(path := tmp_path / "numbers.npy", numbers)
    run = distributed.run(doubled_sum(), {"text": path}, scheduler=client, device=REFERENCE)
    assert run.outputs["twice"].tolist() == [2 * numbers.sum()]


def test_a_count_that_is_given_is_taken_once(client: Any) -> None:
    inputs = {"text": np.ones(3000, np.int32), "total": np.array([5], np.int32)}
    run = distributed.run(doubled_sum(), inputs, scheduler=client, device=REFERENCE, along="text")
    assert run.outputs["twice"].tolist() == [2 * 3005]


def test_what_pieces_take_from_each_other_is_refused_with_the_op(client: Any) -> None:
    with pytest.raises(
        RefusedStreamError, match=r"'vyre\.atomic_rmw' of 'scan' works on '@count' in an order"
    ):
        distributed.run(appended(), {"text": text_of(99)}, scheduler=client, device=REFERENCE)


def test_bad_input_is_reported_by_its_first_offset_in_all(client: Any, tmp_path: Path) -> None:
    text = np.full(6000, ord("a"), np.uint8)
    text[[2501, 5501]] = ord("?")
    text.tofile(path := tmp_path / "digits")
    program = EXAMPLES / "hex_histogram.mlir"
    with pytest.raises(TrapError) as error:
        distributed.run(program, {"encoded": path}, scheduler=client, device=REFERENCE)
    assert error.value.offset == 2501


def test_a_file_that_workers_see_shorter_is_an_error(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text_of(500).tofile(path := tmp_path / "text")

    def longer(_: InputFile) -> int:
        return 900

    monkeypatch.setattr(InputFile, "size", longer)
    with pytest.raises(VyreError, match="is it the same file on every machine"):
        distributed.run(peaks(), {"text": path}, scheduler=client, device=REFERENCE)


def test_a_second_run_takes_nothing_of_the_first(client: Any, tmp_path: Path) -> None:
    path = tmp_path / "text"
    for fill in (b"ab" * 500, b"ba" * 500):
        path.write_bytes(fill)
        run = distributed.run(peaks(), {"text": path}, scheduler=client, device=REFERENCE)
        expected = expected_peaks(np.frombuffer(fill, np.uint8))
        assert run.outputs["last"].tolist() == expected["last"].tolist()


def test_a_device_that_workers_lack_is_an_error(client: Any) -> None:
    with pytest.raises(VyreError, match=r"^worker tcp://.*: unknown device 'no such device'"):
        distributed.run(peaks(), {"text": text_of(9)}, scheduler=client, device="no such device")


def test_nobody_at_an_address_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vyre_dialect.runtime.distributed.cluster.PATIENCE_SECONDS", 0.3)
    with pytest.raises(VyreError, match=r"no scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        distributed.run(peaks(), {"text": b"a"}, scheduler="tcp://127.0.0.1:9", device=REFERENCE)


def test_what_is_no_address_is_an_error() -> None:
    with pytest.raises(UsageError, match="expected an address as tcp://HOST:8786, got 'nonsense'"):
        distributed.run(peaks(), {"text": b"a"}, scheduler="nonsense", device=REFERENCE)
