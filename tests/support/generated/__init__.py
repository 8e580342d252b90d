"""
Generated programs: Hypothesis strategies that draw them with their data.

A program is drawn as plain data (`places`, `arms`, `cases`, `one_arm`, `library`), of which
`module()` makes a vyre program and `inputs()` what it runs on. `programs` draws one of any kind,
and `drawing.for_each` checks many, so that a failure shrinks, and shows the program as text.
"""
