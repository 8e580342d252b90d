"""
Programs on many machines, by Dask: `pip install vyre[dask]`.

    from vyre_dialect import distributed

    run = distributed.run("peaks.mlir", {"text": "/shared/text"}, scheduler="tcp://host:8786")

Only names; what they mean stands in `vyre_dialect.runtime.distributed`.
"""

from vyre_dialect.runtime.distributed.api import run
from vyre_dialect.runtime.distributed.worker import VyrePlugin, Wishes

__all__ = ["VyrePlugin", "Wishes", "run"]
