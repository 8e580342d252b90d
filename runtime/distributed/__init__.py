"""Programs, queries and scans on the workers of a Dask cluster, and how their parts are merged."""
