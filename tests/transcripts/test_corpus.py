"""A generated corpus, whose truth is known: nothing is missed, made up, or placed wrongly."""

from collections import Counter
from pathlib import Path

import pytest

from sparky.testing.corpus import Corpus
from sparky.transcripts.library import open_library
from sparky.transcripts.sessions import Wanted


@pytest.mark.parametrize("seed", [1, 2])
def test_all_of_a_corpus_is_found_and_nothing_else(tmp_path: Path, seed: int) -> None:
    corpus = Corpus(tmp_path / "home", seed)
    truth = corpus.fill(6_000_000, 60)
    found = open_library(tmp_path / "state", {"claude": corpus.home}, pytest.fail)
    heard = found.feedback(Wanted())
    said = ((one.session, "".join(one.agents[-1:]), one.kind.value, one.text) for one in heard)
    assert Counter(said) == Counter((*rest, text.strip()) for *rest, text in truth.said)
    spent = [usage for _, usage in found.index.usage()]
    assert (len(spent), sum(usage.output for usage in spent)) == (truth.messages, truth.output)
    places = {one.agents[-1]: (one.session, *one.agents) for one in found.where.values() if one.agents}
    assert places == truth.agents
