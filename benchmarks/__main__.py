"""`make bench`: everything that is timed, on the default device, and what is measured in bytes."""

from benchmarks import compile_time, fusion, packing, scratch, startup, wrapped_lines
from benchmarks.gate import __main__ as gate

fusion.main()
compile_time.main()
startup.main()
packing.main()
scratch.main()
wrapped_lines.main()
gate.main(["--tune", "10"])
