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
from bitte_nb.history.reading import Drawings, to_html, to_markdown
from bitte_nb.widget.jupyter import DisplayHandle, show_bundle
from bitte_nb.widget.part import Part
from bitte_nb.widget.showcase import Showcase
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
    drawings: Drawings
    html: str
    markdown: str

    def is_of(self, turn: Turn, calls: tuple[Invocation | None, ...], state: ChatState, drawings: Drawings) -> bool:
        """Whether nothing changed; states are immutable, so that what is the same object is the same."""
        same = all(one is other for one, other in zip(self.calls, calls, strict=False))
        unchanged = self.turn is turn and self.agents is state.agents and len(self.calls) == len(calls) and same
        return unchanged and self.drawings == drawings and self.versions == state.versions(turn)


class Pages:
    """Renders a chat turn by turn and keeps each turn until it changes, so that a long chat costs its newest turn."""

    def __init__(self) -> None:
        self._pages: dict[int, _Page] = {}  # without a lock: two threads at most render a turn twice

    def bundle(self, state: ChatState, drawings: Drawings | None = None, *, foot: str = "") -> dict[str, str]:
        """The transcript as a MIME bundle; `foot` is its last line, by default how far it goes and how to go on."""
        pages = _newest([self._page(state, turn, drawings or {}) for turn in state.turns])
        title = replace(state, turns=(), **({"title": ""} if foot else {}))
        feet = [foot or _foot(state)]
        if left := len(state.turns) - len(pages):
            feet.insert(
                0, f"This copy leaves out the oldest {left} of {len(state.turns)} turns; the chat has them all."
            )
        html = [
            _OPEN,
            *_inside(to_html(title)),
            *(page.html for page in pages),
            *(f"<p><em>{line}</em></p>" for line in feet),
            _CLOSE,
        ]
        head = _clean(to_markdown(title)).strip("\n")
        markdown = (
            "\n\n".join(
                [*([head] if head else []), *(page.markdown for page in pages), *(f"_{line}_" for line in feet)]
            )
            + "\n"
        )
        return {"text/html": "\n".join(html), "text/markdown": markdown, "text/plain": markdown}

    def _page(self, state: ChatState, turn: Turn, drawings: Drawings) -> _Page:
        calls = tuple(state.invocations.get(key) for key in turn.calls)
        drawings = {key: drawings[key] for key in turn.calls if key in drawings}
        known = self._pages.get(turn.turn)
        if known is None or not known.is_of(turn, calls, state, drawings):
            alone = replace(state, title="", turns=(_shortened(turn),))
            html = "\n".join(_inside(to_html(alone, drawings)))
            markdown = _clean(to_markdown(alone, drawings)).removesuffix("\n")
            versions = state.versions(turn)
            known = self._pages[turn.turn] = _Page(turn, calls, state.agents, versions, drawings, html, markdown)
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
    """How far this copy goes and how to have the rest; a page that was loaded again cannot bring it up to date."""
    count = len(state.turns)
    turns = "1 turn" if count == 1 else f"{count} turns"
    so_far = f"after {turns}" if count else "before its first message"
    return f"Transcript of chat {state.chat} {so_far}. All of it, and to go on with it: {load_line(state.chat)}"


def _inside(html: str) -> list[str]:
    if html == f"{_OPEN}\n{_CLOSE}":
        return []
    return [_clean(html.removeprefix(f"{_OPEN}\n").removesuffix(f"\n{_CLOSE}"))]


def _clean(text: str) -> str:
    return masked(browser_text(text))


class Transcript:
    """See the module."""

    def __init__(self, chat: Chat, showcase: Showcase | None = None, part: Part | None = None) -> None:
        self._chat = chat
        self._showcase = showcase
        self._part = part
        self._pages = Pages()
        self._handle: DisplayHandle | None = None
        self._shown: dict[str, str] = {}
        self._due = False
        chat.thread.call(lambda: chat.watch(self._appended))
        if showcase is not None:
            showcase.on_drawn(lambda: chat.thread.post(self._changed))

    def bundle(self) -> dict[str, str]:
        """The transcript as a MIME bundle."""
        state, part = self._chat.state, self._part
        drawings = self._showcase.drawings if self._showcase is not None else {}
        if part is None:
            return self._pages.bundle(state, drawings)
        if part.parts.chat != state.chat:  # another chat is open in its place
            return self._shown
        foot = f"Part of chat {state.chat} in this cell. All of it, and to go on with it: {load_line(state.chat)}"
        return self._pages.bundle(part.of(state), drawings, foot=foot)

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
        if rests:
            self._changed()

    def _changed(self) -> None:
        """See later whether the output is out of date; on the agent thread."""
        if self._handle is not None and not self._due:
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
