"""Every model has an account of why, and says which of its events output tokens."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import explorer.engine
import explorer.implementations
from explorer.analysis.divergence.events import OUTPUTS
from explorer.analysis.why.questions import FAMILIES
from explorer.engine.part import Model


def below(kind: Any) -> set[Any]:
    return {kind}.union(*map(below, kind.__subclasses__()))


def test_every_model_has_an_account_and_outputs() -> None:
    for package in (explorer.engine, explorer.implementations):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    # abstract ones have the protocol's property
    models = {each for each in below(Model) if not isinstance(each.row, property)}
    assert len(models) >= len(FAMILIES)
    for model in models:
        assert model.row in FAMILIES, model
        assert any(kind.name in OUTPUTS for kind in model.kinds), model
