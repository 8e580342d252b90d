"""
Kernels of PTX on an NVIDIA GPU, by the driver alone: needs nothing but Python and `libcuda`.

    python tests/support/cuda_driver.py LAUNCHES

runs the launches of a file that `pickle` wrote, a list of dictionaries, and compares results.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_PER_MEMREF = 5
"""A memref of one axis is given as two pointers, an offset, a size and a stride."""


class CudaDriver:
    """A context on the first GPU. Raises OSError where there is no driver."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuInit", 0)
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._call("cuCtxCreate_v2", ctypes.byref(context), 0, device)

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, name)(*arguments)
        if status != 0:
            raise OSError(f"'{name}' failed with status {status}")

    def function(self, ptx: str, kernel: str) -> ctypes.c_void_p:
        """A kernel of a module of PTX."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(ptx.encode()))
        name = ctypes.c_char_p(kernel.encode())
        self._call("cuModuleGetFunction", ctypes.byref(function), module, name)
        return function

    def launch(
        self,
        function: ctypes.c_void_p,
        grid: Sequence[int],
        workgroup: Sequence[int],
        arguments: Sequence[bytes | int],
    ) -> list[bytes]:
        """Run a kernel on buffers and numbers; gives the bytes of the buffers after it."""
        places = [self._put(each) for each in arguments if isinstance(each, bytes)]
        pending, values = iter(places), list[Any]()
        for each in arguments:
            if isinstance(each, int):
                values.append(ctypes.c_int64(each))
                continue
            pointer = next(pending)
            values += [pointer, pointer, *map(ctypes.c_int64, (0, len(each), 1))]
        pointers = (ctypes.c_void_p * len(values))(
            *(ctypes.cast(ctypes.pointer(each), ctypes.c_void_p) for each in values)
        )
        self._call("cuLaunchKernel", function, *grid, *workgroup, 0, None, pointers, None)
        self._call("cuCtxSynchronize")
        sizes = [len(each) for each in arguments if isinstance(each, bytes)]
        return [self._take(place, size) for place, size in zip(places, sizes, strict=True)]

    def _put(self, data: bytes) -> ctypes.c_uint64:
        place = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(max(len(data), 1)))
        self._call("cuMemcpyHtoD_v2", place, data, ctypes.c_size_t(len(data)))
        return place

    def _take(self, place: ctypes.c_uint64, size: int) -> bytes:
        data = ctypes.create_string_buffer(max(size, 1))
        self._call("cuMemcpyDtoH_v2", data, place, ctypes.c_size_t(size))
        self._call("cuMemFree_v2", place)
        return data.raw[:size]


def run_again(driver: CudaDriver, launch: Mapping[str, Any]) -> bool:
    """Whether a launch gives what it should."""
    function = driver.function(launch["ptx"], launch["kernel"])
    got = driver.launch(function, launch["grid"], launch["workgroup"], launch["arguments"])
    return got == launch["results"]


def main() -> None:
    """Run the launches of a file."""
    launches: list[Mapping[str, Any]] = pickle.loads(Path(sys.argv[1]).read_bytes())
    driver, wrong = CudaDriver(), 0
    for launch in launches:
        is_right = run_again(driver, launch)
        wrong += not is_right
        print("right" if is_right else "WRONG", launch["name"], launch["kernel"], launch["grid"])
    print(f"{len(launches) - wrong} of {len(launches)} launches are right")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
