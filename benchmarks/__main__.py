"""`make bench`: fused and unfused on the default device, and how long fusing and starting take."""

from benchmarks import compile_time, fusion, startup

fusion.main()
compile_time.main()
startup.main()
