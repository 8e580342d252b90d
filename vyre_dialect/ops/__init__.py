"""The ops of the dialect, one file per concern."""

from vyre_dialect.ir.thread_local_building import build_per_thread

build_per_thread()
