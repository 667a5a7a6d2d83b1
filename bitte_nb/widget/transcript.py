"""The chat as a static output: readable in a saved notebook with no kernel, on GitHub and after nbconvert.

It is an output of its own beside the widget, hidden while the widget is live, updated once per rest, deterministic (no
times, no id but the chat's), and plain data: what came from outside is escaped, what looks like a key is masked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from bitte_nb.agent.chat import Chat
from bitte_nb.core.fold import ChatState, Turn
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.log import AgentRecord, Entry
from bitte_nb.core.plan import at_rest
from bitte_nb.history.export import masked
from bitte_nb.history.reading import to_html, to_markdown
from bitte_nb.widget.jupyter import DisplayHandle, show_bundle
from bitte_nb.widget.wire import browser_text

__all__ = ["Pages", "Transcript"]

_OPEN, _, _CLOSE = to_html(ChatState()).partition("\n")
"""The element that holds a chat."""
_MOST = 400_000
"""Characters of HTML that a notebook carries of one chat: its newest turns, and never less than one."""
_LONGEST = 100_000
"""Characters of one message or answer in it."""


@dataclass(frozen=True, slots=True)
class _Page:
    """A turn as it was rendered, and all that it was rendered from."""

    turn: Turn
    calls: tuple[Invocation | None, ...]
    agents: tuple[AgentRecord, ...]
    versions: tuple[int, ...]
    html: str
    markdown: str

    def is_of(self, turn: Turn, calls: tuple[Invocation | None, ...], state: ChatState) -> bool:
        """Whether nothing changed; states are immutable, so that what is the same object is the same."""
        same = all(one is other for one, other in zip(self.calls, calls, strict=False))
        unchanged = self.turn is turn and self.agents is state.agents and len(self.calls) == len(calls) and same
        return unchanged and self.versions == state.versions(turn)


class Pages:
    """Renders a chat turn by turn and keeps each turn until it changes, so that a long chat costs its newest turn."""

    def __init__(self) -> None:
        self._pages: dict[int, _Page] = {}  # without a lock: two threads at most render a turn twice

    def bundle(self, state: ChatState) -> dict[str, str]:
        """The transcript as a MIME bundle."""
        pages = _newest([self._page(state, turn) for turn in state.turns])
        title = replace(state, turns=())
        foot = [_foot(state)] if state.turns else []
        if left := len(state.turns) - len(pages):
            foot.insert(
                0, f"This copy leaves out the oldest {left} of {len(state.turns)} turns; the chat has them all."
            )
        html = [
            _OPEN,
            *_inside(to_html(title)),
            *(page.html for page in pages),
            *(f"<p><em>{line}</em></p>" for line in foot),
            _CLOSE,
        ]
        head = _clean(to_markdown(title)).strip("\n")
        markdown = (
            "\n\n".join(
                [*([head] if head else []), *(page.markdown for page in pages), *(f"_{line}_" for line in foot)]
            )
            + "\n"
        )
        return {"text/html": "\n".join(html), "text/markdown": markdown, "text/plain": markdown}

    def _page(self, state: ChatState, turn: Turn) -> _Page:
        calls = tuple(state.invocations.get(key) for key in turn.calls)
        known = self._pages.get(turn.turn)
        if known is None or not known.is_of(turn, calls, state):
            alone = replace(state, title="", turns=(_shortened(turn),))
            html, markdown = "\n".join(_inside(to_html(alone))), _clean(to_markdown(alone)).removesuffix("\n")
            known = self._pages[turn.turn] = _Page(turn, calls, state.agents, state.versions(turn), html, markdown)
        return known


def _newest(pages: list[_Page]) -> list[_Page]:
    """As many of the last pages as a notebook may carry."""
    kept, size = 0, 0
    for page in reversed(pages):
        size += len(page.html)
        if kept and size > _MOST:
            break
        kept += 1
    return pages[len(pages) - kept :]


def _shortened(turn: Turn) -> Turn:
    """The turn with its very long texts cut, each with a sentence that says so."""
    if max(len(turn.text), *(len(step.text) for step in turn.steps), 0) <= _LONGEST:
        return turn
    steps = tuple(replace(step, text=_cut(step.text)) for step in turn.steps)
    return replace(turn, text=_cut(turn.text), steps=steps)


def _cut(text: str) -> str:
    rest = len(text) - _LONGEST
    return text if rest <= 0 else f"{text[:_LONGEST]}\n\n… ({rest:,} more characters are in the chat)"


def _foot(state: ChatState) -> str:
    """How far this copy goes and how to go on; a page that was reloaded cannot bring a saved copy up to date."""
    count = len(state.turns)
    turns = "1 turn" if count == 1 else f"{count} turns"
    return f"Transcript of chat {state.chat} after {turns}. Go on with it: {load_line(state.chat)}"


def _inside(html: str) -> list[str]:
    if html == f"{_OPEN}\n{_CLOSE}":
        return []
    return [_clean(html.removeprefix(f"{_OPEN}\n").removesuffix(f"\n{_CLOSE}"))]


def _clean(text: str) -> str:
    return masked(browser_text(text))


class Transcript:
    """See the module."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._pages = Pages()
        self._handle: DisplayHandle | None = None
        self._shown: dict[str, str] = {}
        self._due = False
        chat.thread.call(lambda: chat.watch(self._appended))

    def bundle(self) -> dict[str, str]:
        """The transcript as a MIME bundle."""
        return self._pages.bundle(self._chat.state)

    def show(self) -> None:
        """Put the output below the running cell; where it is shown again, it is the same output."""
        bundle = self.bundle()
        if self._handle is None:
            self._handle = show_bundle(bundle)
        else:
            self._handle.display(bundle, raw=True)
        self._shown = bundle

    def _appended(self, before: ChatState, entries: tuple[Entry, ...], after: ChatState) -> None:
        del before
        rests = at_rest(after, after.last) if after.last is not None else not entries  # an empty one that was opened
        if self._handle is not None and not self._due and rests:
            self._due = True
            self._chat.thread.post(self._update)

    def _update(self) -> None:
        self._due = False
        bundle = self.bundle()
        if self._handle is not None and bundle != self._shown:
            self._shown = bundle
            self._handle.update(bundle, raw=True)


def load_line(chat: str) -> str:
    """What a cell says to go on with a chat and to show it."""
    return f"import bitte_nb as bn; chat = bn.Chat.load({json.dumps(chat)}); chat"
