"""What is wrong with a query or its data, and what to do."""


class QueryError(Exception):
    """A query that makes no sense, or data that it cannot be asked of: one line for people."""


class PlacedError(QueryError):
    """One that says in which argument, and where in its text."""
