"""
Queries in words: parsed by sqlglot, typed by the columns that they name, and built as one
`vyre.scan.aggregate` or `vyre.scan.select` over all of these.
"""
