"""Results within a budget."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.core.fit import fit


def size(data: Any) -> int:
    return len(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.parametrize("data", [None, 0, False, "", [], {}, "short", [1, 2], {"a": [1]}])
def test_what_fits_stays_as_it_is(data: Any) -> None:
    assert fit(data) is data


def test_a_long_list_is_cut_with_its_count_and_keeps_the_cursor() -> None:
    cut = fit(
        {"items": [{"id": n, "text": "x" * 50} for n in range(1000)], "nextPageToken": "t" * 500, "total": 1000},
        tokens=1000,
    )
    assert cut["items"][0] == {"id": 0, "text": "x" * 50}
    assert cut["items"][-1].startswith("[cut: ")
    assert cut["items"][-1].endswith(" of 1,000 items left out]")
    assert (cut["nextPageToken"], cut["total"]) == ("t" * 500, 1000)
    assert size(cut) <= 4000


def test_a_long_text_is_cut_with_its_length() -> None:
    assert fit("x" * 100_000, tokens=1000).endswith("more characters]")


def test_a_marker_names_the_arguments_that_page() -> None:
    cut = fit(list(range(5000)), tokens=500, arguments=["q", "limit", "$skip", "pageToken"])
    assert cut[-1].endswith(" of 5,000 items left out; ask for others with limit, $skip, pageToken]")
    assert "ask for others with cursor" in fit("x" * 9000, tokens=20, arguments=["cursor"])


def test_a_picture_is_named_and_not_spelled_out() -> None:
    data = {"type": "image/png", "size": 900, "preview": "data:image/png;base64," + "A" * 1200}
    assert fit(data) == {"type": "image/png", "size": 900, "preview": "[image/png: the person sees it]"}
    assert fit([data["preview"]]) == ["[image/png: the person sees it]"]
    assert fit("data:text/html;base64," + "A" * 400) == "[text/html: the person sees it]"
    assert fit("data:image/png;base64,AA==") == "data:image/png;base64,AA=="


@given(
    st.recursive(
        st.integers() | st.text(max_size=200),
        lambda e: st.lists(e, max_size=30) | st.dictionaries(st.text(max_size=5), e, max_size=10),
        max_leaves=200,
    )
)
def test_the_result_always_fits(data: Any) -> None:
    assert size(fit(data, tokens=200)) <= 800
