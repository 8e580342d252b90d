"""What is wrong with a file, and what is not read as it lies."""


class ParquetError(Exception):
    """A file that is damaged, or no Parquet: one line for people."""


class NotCoveredError(Exception):
    """A column that is sound, as far as it is known, and left to pyarrow: why, in a few words."""
