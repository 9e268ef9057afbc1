"""Regular expressions of strangers, compiled safely and read in their own dialect.

pattern          an ordered list of alternatives
safe             refuses what is too large, then compiles with the `regex` module
oniguruma        Oniguruma's syntax, spelled for `regex`
oniguruma_sets   its character classes and sets
"""
