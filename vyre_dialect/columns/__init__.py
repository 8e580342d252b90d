"""
Columns as they lie in memory and in files, and the decoders that a program needs to read them.

What knows Arrow imports pyarrow, of the extra `columns`, when it is called.
"""
