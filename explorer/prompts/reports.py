"""A check of a template in words, as JSON, and as JUnit's report."""

import json
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from explorer.prompts.check import Cell, Check, Verdict
from explorer.text.say import Say, plain, visible_words

Worse = tuple[tuple[Cell, str], ...]
"""Cells that became worse, with what they were."""


def headline(check: Check) -> Say:
    """How many conversations come out otherwise than sent, and how many a server doesn't render."""
    rows = list(check.rows())
    differ = sum(any(cell.verdict.rank >= Verdict.TURN.rank for cell in cells) for _, cells in rows)
    fails = sum(any(cell.verdict.tone in ("refuses", "stops") for cell in cells) for _, cells in rows)
    return Say("Of {0} conversations, {1} need a look; {2} are refused or fail in a server.", len(rows), differ, fails)


def summary(check: Check) -> Say | None:
    """The line that is to blame most often, None if no line is."""
    names: dict[int, set[str]] = {}
    for cell in check.cells:
        if cell.line:
            names.setdefault(cell.line, set()).add(cell.conversation)
    if not names:
        return None
    line, rows = max(names.items(), key=lambda pair: (len(pair[1]), -pair[0]))
    return Say(
        "Line {1:i} is to blame in {0} conversation.",
        len(rows),
        line,
        many="Line {1:i} is to blame in {0} conversations.",
    )


def record(check: Check) -> dict[str, Any]:
    """The check as data of JSON."""
    return {
        "template": check.name,
        "template_source": check.source,
        "servers": {name: each.version for name, each in check.columns.items()},
        "sentence": plain(headline(check)),
        "cells": [
            {
                "conversation": cell.conversation,
                "server": cell.server,
                "verdict": cell.verdict.value,
                "words": plain(cell.words),
                "reason": cell.reason and plain(cell.reason),
                "line": cell.line or None,
                "lost": list(cell.lost),
                "text": cell.text,
                "tokens": cell.tokens,
                "repair": cell.repair and cell.repair.record(),
            }
            for cell in check.cells
        ],
    }


def bad_cells(check: Check) -> list[Cell]:
    """The cells for which the template is at fault."""
    return [cell for cell in check.cells if cell.verdict.is_bad]


def as_json(checks: Sequence[Check], worse: Sequence[Worse]) -> str:
    """The checks as JSON, one as an object."""
    exported = [
        record(check)
        | {
            "worse": [
                {"conversation": cell.conversation, "server": cell.server, "before": before, "after": cell.verdict}
                for cell, before in each
            ]
        }
        for check, each in zip(checks, worse, strict=True)
    ]
    return json.dumps(exported if len(exported) > 1 else exported[0], ensure_ascii=False, indent=2)


def junit(checks: Sequence[Check], failures: Sequence[Sequence[Cell]]) -> bytes:
    """A report for CI: a suite for each template and server, a case for each conversation."""
    top = ElementTree.Element("testsuites", name="chat templates")
    for check, bad in zip(checks, failures, strict=True):
        for server, column in check.columns.items():
            name = visible_words(f"{check.name} {column.title} {column.version}".strip())
            suite = ElementTree.SubElement(top, "testsuite", name=name)
            for cell in (cell for cell in check.cells if cell.server == server):
                _add_case(suite, column.title, cell, is_failed=cell in bad)
            tags = {"tests": "testcase", "failures": "failure", "skipped": "skipped"}
            suite.attrib |= {name: str(len(suite.findall(f".//{tag}"))) for name, tag in tags.items()}
    data: bytes = ElementTree.tostring(top, "utf-8", xml_declaration=True)
    return data


def _add_case(suite: ElementTree.Element, title: str, cell: Cell, *, is_failed: bool) -> None:
    """Adds a conversation to a suite."""
    case = ElementTree.SubElement(suite, "testcase", classname=title, name=cell.conversation)
    words, reason = plain(cell.words), visible_words(plain(cell.reason)) if cell.reason else ""
    if is_failed:
        text = f"{reason} {plain(cell.repair.say)}" if cell.repair else reason
        ElementTree.SubElement(case, "failure", message=words).text = text
    elif cell.verdict in (Verdict.UNTRIED, Verdict.UNKNOWN):
        ElementTree.SubElement(case, "skipped", message=words)
    elif reason:
        ElementTree.SubElement(case, "system-out").text = f"{words}: {reason}"
