"""Untrusted regular expressions, compiled safely and read in their own dialect.

pattern             an ordered list of alternatives
safe                refuses patterns that are too large, compiles with the `regex` module, limits the time of matches
reader              what the readers of both dialects share; tables.toml has their classes, anchors and edges
oniguruma           translates Oniguruma's dialect into the `regex` module's, and iterates over matches as it does
oniguruma_sets      reads its characters, properties and sets
fancy               translates the dialect of Rust's fancy-regex
rust_sets           reads sets of Rust's regex-syntax
in_python           stands in for the C of the `regex` module, over `re`, where there is none: in a browser
"""
