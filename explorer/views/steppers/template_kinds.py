"""The kinds of step of a template: what it tests, sets, loops over, calls and writes, and how it ends.

A sentence of Implementation names what the engine runs: jinja2's node, or the class of llama.cpp's.
"""

from __future__ import annotations

from typing import Final

from explorer.script.script import kinds

KINDS: Final = kinds(
    (),
    """
message: loop
    look: info dot 44 landmark
    fields: message messages turn:t name:q of:q role:q line:i node:t
    say: {node}: turn {turn}, {name} is message {message}.
    log: line {line}: message {message} of {messages}
    why: Line {line} loops over {of}.
    story: Message {message} of {messages}.
    story_why: {name} is the {role} message now. Line {line} loops over {of}.

turn: loop
    look: info dot 44
    fields: turn:t name:q of:q line:i node:t
    say: {node}: turn {turn} of the loop over {of}.
    log: line {line}: turn {turn}
    story: The loop over {of} takes item {turn}.
    story_why: {name} is this item now.

no turn: loop
    look: miss dot 28
    fields: name:q of:q line:i node:t
    say: {node}: {of} has no items, so there is no turn.
    log: line {line}: no items
    story: Is there an item in {of}? No.
    story_why: The loop on line {line} does nothing.

yes: test
    look: push dot 61
    fields: test:q line:i then:t node:t
    say: {node}: {test} is true.
    log: line {line}: yes
    why: {then}
    story: Is {test} true? Yes.
    story_why: {then}

no: test
    look: miss dot 28
    fields: test:q line:i then:t node:t
    say: {node}: {test} is false.
    log: line {line}: no
    why: {then}
    story: Is {test} true? No.
    story_why: {then}

yes tools like yes
    story: Is there a list of tools? Yes.

no tools like no
    story: Is there a list of tools? No.

yes answer like yes
    story: Is an answer asked for? Yes.

no answer like no
    story: Is an answer asked for? No.

set text: set
    look: token dot 44
    fields: name:q text:q from:t line:i node:t
    say: {node}: {name} = {text}.
    log: line {line}: {name} = {text}
    why: {from}
    story: {name} is now {text}.
    story_why: {from}

set value: set
    look: token dot 44
    fields: name:q value:t line:i node:t
    say: {node}: {name} = {value}.
    log: line {line}: {name} = {value}
    story: {name} is now {value}.

call: macro
    look: info ring 44
    fields: name:q line:i node:t
    say: {node}: the macro {name} begins.
    log: line {line}: {name}
    story: The macro {name} begins.
    story_why: Its text goes into the prompt when the line that called it writes it.

write between: write
    look: merge dot 100
    fields: message before:q after:q how:t line:i node:t start:i end:i tokens:t
    say: {node}: characters {start} to {end} of the prompt, {tokens}.
    log: line {line}: message {message}, {tokens}
    why: {how}
    story: Message {message} goes between {before} and {after}.
    story_why: {how}

write after like write between
    fields: message before:q how:t line:i node:t start:i end:i tokens:t
    story: Message {message} goes after {before}.

write before like write between
    fields: message after:q how:t line:i node:t start:i end:i tokens:t
    story: Message {message} goes before {after}.

write message like write between
    fields: message how:t line:i node:t start:i end:i tokens:t
    story: Message {message} is written.

write text: write
    look: merge dot 72
    fields: text:q how:t line:i node:t start:i end:i tokens:t
    say: {node}: characters {start} to {end} of the prompt, {tokens}.
    log: line {line}: {text}
    why: {how}
    story: The template writes {text}.
    story_why: {how}

write nothing: write
    look: miss dot 28
    fields: line:i node:t
    say: {node}: an empty text.
    log: line {line}: nothing
    story: Line {line} writes an empty text.

keep: text
    look: token dot 44
    fields: text:q line:i node:t
    say: {node}: {text} goes into a buffer.
    log: line {line}: keeps {text}
    story: {text} is kept for later.
    story_why: It belongs to a macro or a block, whose text is not in the prompt yet.

more: not drawn
    look: stale diamond 100
    fields: more drawn tokens:t
    say: {more} more steps are not drawn; they write {tokens}.
    log: {more} more steps
    story: The template takes {more} more steps and writes {tokens}.
    story_why: The first {drawn} steps are drawn.

fails join: error
    look: stale diamond 100
    fields: left:t right:t engine:t words:q line:i node:t
    say: Line {line} fails: {left} and {right} can't be joined.
    log: line {line} fails
    why: {engine} says: {words}.
    story: Line {line} fails: {left} and {right} can't be joined.
    story_why: {engine} says: {words}.

fails: error
    look: stale diamond 100
    fields: engine:t words:q line:i
    say: Line {line} fails.
    log: line {line} fails
    why: {engine} says: {words}.
    story: Line {line} fails.
    story_why: {engine} says: {words}.

fails somewhere like fails
    say: The template fails.
    log: fails
    story: The template fails.

refuses: refused
    look: stale diamond 100
    fields: words:q line:i
    say: raise_exception on line {line}: {words}.
    log: line {line} refuses
    why: The template checks the messages itself, and these are not what it takes.
    story: The template refuses: {words}.
    story_why: Line {line} checks the messages, and these are not what it takes.

stopped: stopped
    look: stale diamond 100
    fields: words:t line:i
    say: {words}
    log: stopped
    why: Nothing of it was kept. What it had written until then is shown.
    story: {words}
    story_why: Nothing of it was kept. What it had written until then is shown.
""",
)
