"""`make bench`: fused against unfused, on the default device."""

from benchmarks.fusion import main

main()
