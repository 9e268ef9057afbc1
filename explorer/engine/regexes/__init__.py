"""Untrusted regular expressions, compiled safely and read in their own dialect.

pattern             an ordered list of alternatives
safe                refuses patterns that are too large, then compiles with the `regex` module
oniguruma           translates Oniguruma's dialect into the `regex` module's
oniguruma_reader    reads its groups, quantifiers, anchors and references
oniguruma_sets      reads its characters, properties and sets
oniguruma_matches   iterates over matches as Oniguruma does
fancy               translates the dialect of Rust's fancy-regex
fancy_reader        reads its escapes, flags, groups, quantifiers and look-around
rust_sets           reads sets of Rust's regex-syntax
"""
