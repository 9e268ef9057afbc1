"""Every model has an account of why, and says which of its events output tokens."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from typing import Any
from weakref import ref

import explorer.engine
import explorer.implementations
from explorer.engine.models.merges import MergeModel
from explorer.engine.part import Model
from explorer.stages.spelling import Speller
from explorer.stages.stage import TokenText
from explorer.stages.table import MODELS, model_kind
from tests.bundled import bundled


def below(kind: Any) -> set[Any]:
    return {kind}.union(*map(below, kind.__subclasses__()))


def test_every_model_has_an_account_and_outputs() -> None:
    for package in (explorer.engine, explorer.implementations):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    # abstract ones have the protocol's property
    models = {each for each in below(Model) if not isinstance(each.row, property)}
    assert len(models) >= len(MODELS)
    for model in models:
        assert issubclass(model, MergeModel) or model in MODELS or model.row in MODELS, model


def test_an_account_is_freed_with_its_question() -> None:
    """Of a long text its replay takes 100 MB and more."""
    for name in ("llama-2", "gpt-2", "xlm-r"):
        trace = bundled(name).trace("unrelated")
        number = next(number for number, stage in enumerate(trace.stages) if isinstance(stage.part, Model))
        account = model_kind(trace.stages[number].part).account(trace, number, Speller(trace), name)
        assert account.origin(account.made[0], TokenText(0, account.made[0].id, "", "", 0, 1))
        freed = ref(account)
        del account
        assert freed() is None, name
