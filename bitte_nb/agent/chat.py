"""A chat: the public face over a conversation, callable from any thread.

The chat lives on disk from its first entry and can be loaded again. `bitte_nb.Chat` is the class of the same name in
`widget/`, which adds how a notebook displays it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from bitte_nb.agent import acts, versions
from bitte_nb.agent.agent import Agent
from bitte_nb.agent.attachments import given, send
from bitte_nb.agent.clock import Clock, SystemClock
from bitte_nb.agent.conversation import Conversation
from bitte_nb.agent.given import changed
from bitte_nb.agent.handoff import addressed
from bitte_nb.agent.journal import Subscriber
from bitte_nb.agent.pressure import Screen
from bitte_nb.agent.recorder import Recorder
from bitte_nb.agent.shelf import Shelf
from bitte_nb.agent.stored import agents_for, fresh, holding, new_chat_id, on_loading, opened, read, stored_agents
from bitte_nb.agent.thread import AgentThread, agent_thread
from bitte_nb.agent.turn import Pending, Turn
from bitte_nb.agent.waiting import Signal
from bitte_nb.core.fold import ChatState, turn_of
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.log import Entry
from bitte_nb.core.messages import CoreMessage, core_messages
from bitte_nb.core.session_rules import SessionRule
from bitte_nb.errors import ArgumentRefused, DecisionRefused, WaitRefused
from bitte_nb.history.archive import import_chat
from bitte_nb.history.core_messages import to_core_messages
from bitte_nb.history.export import as_loaded, attached_files, export, form_of
from bitte_nb.history.gaps import unread
from bitte_nb.history.reading import Drawings
from bitte_nb.history.store import Loaded, Store

__all__ = ["Chat"]

T = TypeVar("T")

_OWN_THREAD = (
    "This runs on the agent thread, which cannot go on while it waits for itself. Await the turn there, or wait on "
    "another thread."
)


class Chat:
    """A chat with an agent.

    Args:
        agent: An agent, or whatever `Agent` takes as its document, or a list of several that take part. The first
            one begins; they hand over to each other, and the person addresses one by `@name`.
        title: Shown in lists; by default the first message.
        store: Where it is kept; by default the person's own history.
        clock: The source of time.
        options: Further arguments for `Agent`, where `agent` is a document.
    """

    def __init__(
        self,
        agent: Agent | Sequence[Agent] | Any,
        *,
        title: str = "",
        store: Store | str | Path | None = None,
        clock: Clock | None = None,
        **options: Any,
    ) -> None:
        if isinstance(agent, Agent) and options:
            raise TypeError(f"{', '.join(options)}: give this to Agent(...); the chat takes the agent as it is.")
        clock = clock or SystemClock()
        self._begin(*fresh(_agents(agent, options), opened(store), clock, title=title))

    def _begin(
        self, state: ChatState, agents: dict[str, Agent], recorder: Recorder, clock: Clock, unwritten: list[Entry]
    ) -> None:
        self.thread: AgentThread = agent_thread()
        self._appended = Signal()
        self.clicks_off_main = False
        """A page's message was handled on another thread than the main one: clicks arrive while cells run."""
        self.shelf = Shelf()
        """Who watches the chat, and the other chats that were open in its place."""
        self.conversation = self._conversation(state, agents, recorder, clock, unwritten)

    def _conversation(
        self, state: ChatState, agents: dict[str, Agent], recorder: Recorder, clock: Clock, unwritten: list[Entry]
    ) -> Conversation:
        def begin() -> Conversation:
            conversation = Conversation(
                state=state, unwritten=unwritten, agents=agents, recorder=recorder, clock=clock, thread=self.thread
            )
            conversation.subscribe(self._told)
            return conversation

        return self.thread.call(begin)

    def _told(self, before: ChatState, entries: tuple[Entry, ...], after: ChatState) -> None:
        self._appended.tell()

    @classmethod
    def load(
        cls,
        chat_id: str,
        *,
        agent: Agent | Sequence[Agent] | None = None,
        store: Store | str | Path | None = None,
        clock: Clock | None = None,
    ) -> Chat:
        """Load a chat from history: finished work is finished, open approvals are open, and nothing runs.

        Args:
            chat_id: As in `chat.id` or `bitte-nb chats`.
            agent: The agent or agents to go on with; by default the stored ones, rebuilt without a network.
            store: Where it is kept; by default the person's own history.
            clock: The source of time.

        Raises:
            ChatNotFound: no chat has that id.
            HistoryError: it cannot be read, or its agent cannot be rebuilt.
        """
        clock = clock or SystemClock()
        kept = opened(store)
        why_not = holding(kept, chat_id)
        state, loaded = read(kept, chat_id)
        agents = _agents(agent, {}) if agent is not None else stored_agents(state, kept)
        chat = cls.__new__(cls)
        recorder = Recorder(kept, chat_id, head=loaded.head)
        # What another kernel is in the middle of has not ended.
        unwritten = [] if why_not else on_loading(state, loaded, at=clock.now())
        chat._begin(state, agents, recorder, clock, unwritten)
        if why_not:
            chat.thread.call(lambda: chat.conversation.end(why_not, elsewhere=True))
        chat.conversation.unread = unread(loaded)
        return chat

    @classmethod
    def import_from(
        cls,
        source: str | Path | bytes | list[dict[str, Any]],
        *,
        agent: Agent,
        store: Store | str | Path | None = None,
        title: str = "",
        clock: Clock | None = None,
    ) -> Chat:
        """Begin a chat from a file's path or bytes, or from a CoreMessage array; nothing in it is live, nothing runs.

        Args:
            source: An export of ours (JSON, JSON Lines), a CoreMessage array, a Bitte chat or AI SDK messages.
            agent: Who answers when it goes on.
            store: Where it is kept; by default the person's own history.
            title: Instead of the file's own title.
            clock: The source of time.

        Raises:
            HistoryError: the source is none of these.
        """
        clock = clock or SystemClock()
        kept = opened(store)
        if isinstance(source, list):
            source = json.dumps(source).encode()
        elif not isinstance(source, bytes):
            source = Path(source).read_bytes()
        kept.put_document(agent.document.digest, agent.document.text, agent.document.url)
        chat_id = new_chat_id()
        import_chat(kept, source, chat_id=chat_id, at=clock.now(), agent=agent.record(), title=title)
        return cls.load(chat_id, agent=agent, store=kept, clock=clock)

    # Talking ---------------------------------------------------------------------------------------------------------

    def ask(self, text: str, *, agent: Agent | str = "", files: Sequence[str | Path | tuple[str, bytes]] = ()) -> Turn:
        """Say something; returns at once. What was still open is cancelled, a call that waits for a decision too.

        In the widget a message waits instead, and a `%%bitte` cell refuses; in code, look at `chat.pending` first.

        Args:
            text: The words; may be empty where there are files. `@name` at the beginning addresses an agent.
            agent: Who answers, where the chat has several and the text addresses none; by default whoever spoke last.
            files: Paths, or names with bytes, for the tools of the document that take a file. The bytes are kept with
                the chat, up to 20 MB a file, and leave only as an approved request says.

        Raises:
            ValueError: there is neither text nor file, or a file is too large.
            OSError: a file cannot be read.
            HistoryError: the chat is read-only here.
        """
        _check_words(text)
        attached = [given(file) for file in files]
        return Turn(self, self.thread.call(lambda: send(self.conversation, text, attached, agent=self._named(agent))))

    def _named(self, agent: Agent | str) -> str:
        """The id of an agent of this chat, given by itself, its id or its `@name`."""
        if not agent:
            return ""
        known = [(one.id, one.name) for one in self.agents]
        found = agent.id if isinstance(agent, Agent) else addressed(f"@{agent}", known)
        if all(found != one for one, _ in known):
            raise ArgumentRefused(
                f"{agent!r} takes no part in this chat; here are {', '.join(one for one, _ in known)}."
            )
        return found

    @property
    def turns(self) -> list[Turn]:
        """The turns of the version that is shown, oldest first; `branches` has the others."""
        return [Turn(self, turn.turn) for turn in self.state.turns]

    @property
    def turn(self) -> Turn | None:
        """The last turn."""
        last = self.state.last
        return Turn(self, last.turn) if last else None

    @property
    def pending(self) -> list[Pending]:
        """All calls that wait for a person, an undo of an older turn included; waits like `Turn.pending`."""
        if self.turn is not None:
            self.turn.wait()
        return [Pending(self, call) for call in self.invocations if call.state == "pending"]

    def stop(self) -> None:
        """Stop the running turn at once."""
        self.thread.call(self.conversation.stop)

    def retry(self) -> Turn:
        """Try the newest turn again after it failed; finished calls keep their results."""
        number = self._last()
        self.thread.call(lambda: self.conversation.retry(number))
        return Turn(self, number)

    def proceed(self) -> Turn:
        """Go on with a turn that reached its cap of model calls."""
        number = self._last()
        self.thread.call(lambda: self.conversation.extend(number))
        return Turn(self, number)

    def _last(self) -> int:
        return self.state.last.turn if self.state.last else 0

    def edit(self, turn: Turn | int, text: str) -> Turn:
        """Say something else in the place of an earlier message; what was there stays as another version.

        Raises:
            DecisionRefused: there is no such turn.
            ValueError: the text is empty.
        """
        _check_words(text)
        if not text.strip():
            raise ArgumentRefused("There is nothing to send: the message is empty.")
        number = _number(turn)
        return Turn(self, self.thread.call(lambda: versions.edit(self.conversation, number, text)))

    def regenerate(self, turn: Turn | int | None = None) -> Turn:
        """Answer a message once more, by default the last one; the answer that was there stays as another version.

        What the other answer already did is not undone, and is not done again without asking.

        Raises:
            DecisionRefused: there is no such turn.
        """
        number = self._last() if turn is None else _number(turn)
        return Turn(self, self.thread.call(lambda: versions.regenerate(self.conversation, number)))

    def branches(self, turn: Turn | int) -> list[Turn]:
        """The turns that stand in the same place as this one, itself included, oldest first.

        Raises:
            DecisionRefused: there is no such turn.
        """
        state, number = self.state, _number(turn)
        one = state.turn(number)
        if one is None:
            raise DecisionRefused(f"There is no turn {number} in this chat.")
        return [Turn(self, version) for version in state.versions(one)]

    def rate(self, turn: Turn | int, rating: Literal["good", "bad", ""]) -> None:
        """Keep whether an answer was of use, with the chat and its exports; empty takes it back. The model is not told.

        Raises:
            DecisionRefused: there is no such turn.
        """
        number = _number(turn)
        self.thread.call(lambda: versions.rate(self.conversation, number, rating))

    def choose(self, turn: Turn | int) -> Turn:
        """Go to the version of the chat in which the turn is; what was open in the other one is cancelled.

        Raises:
            DecisionRefused: there is no such turn.
        """
        number = _number(turn)
        self.thread.call(lambda: versions.choose(self.conversation, number))
        return Turn(self, number)

    def undo(self, call: Invocation | str) -> Turn:
        """Begin taking a finished call back; the undo waits for its own approval."""
        key = _key(call)
        new = self.thread.call(lambda: acts.undo(self.conversation, key))
        return Turn(self, turn_of(new))

    def decide(
        self,
        call: Invocation,
        decision: Literal["approve", "deny"],
        *,
        reason: str = "",
        always: bool = False,
        conversation: Conversation | None = None,
    ) -> None:
        """Approve or decline a pending call, exactly as `call` shows it; of the open chat, where no other is given."""
        digest = call.prepared.digest if call.prepared else ""
        its = conversation or self.conversation
        self.thread.call(
            lambda: acts.decide(
                its,
                call.key,
                decision,
                digest=digest,
                version=call.version,
                actor="code",
                reason=reason,
                always=always,
            )
        )

    def respond(self, call: Invocation, text: str, *, conversation: Conversation | None = None) -> None:
        """Give the result of a pending call, from a wallet elsewhere; of the open chat, where no other is given."""
        digest = call.prepared.digest if call.prepared else ""
        its = conversation or self.conversation
        self.run(acts.respond(its, call.key, text, digest=digest, version=call.version, actor="code"))

    def run(self, act: Coroutine[Any, Any, T]) -> T:
        """Carry an act out on the agent thread and return what it returns.

        Raises:
            WaitRefused: the caller runs on that thread.
        """
        if self.thread.here:
            act.close()
            raise WaitRefused(_OWN_THREAD)
        return self.thread.submit(act).result()

    def reconcile(self, call: Invocation | str, *, happened: bool, data: object = None, note: str = "") -> None:
        """Say what came of a call whose outcome is unknown; the model reads it with its next request.

        Args:
            call: The call, or its key.
            happened: Whether it took effect.
            data: What it returned, where you know it.
            note: A word of yours for the model.

        Raises:
            DecisionRefused: its outcome is not unknown.
        """
        key = _key(call)
        self.thread.call(
            lambda: acts.reconcile(self.conversation, key, happened=happened, data=data, note=note, actor="code")
        )

    def check(self, call: Invocation | str) -> Invocation:
        """Look up what came of a call whose outcome is unknown; nothing is repeated. Returns the call as it is then.

        Raises:
            DecisionRefused: its outcome is not unknown, nobody can look it up, or it is still not known.
        """
        self.run(acts.check(self.conversation, _key(call)))
        return self.state.invocations[_key(call)]

    def retry_call(self, call: Invocation | str) -> Turn:
        """Try a failed call again, or one of unknown outcome that may be repeated; it goes through the policy.

        Where its turn is the newest and had its answer, the model answers anew once the call has its result.

        Raises:
            DecisionRefused: it cannot be tried again as it stands.
        """
        key = _key(call)
        self.thread.call(lambda: acts.retry_call(self.conversation, key, actor="code"))
        return Turn(self, turn_of(key))

    @property
    def rules(self) -> tuple[SessionRule, ...]:
        """What is always allowed in this chat; the rules of `agent.policy` are not among them."""
        return self.state.rules

    def revoke(self, rule: SessionRule | str) -> None:
        """Take back what was always allowed.

        Raises:
            DecisionRefused: there is no such rule.
        """
        name = rule if isinstance(rule, str) else rule.rule
        self.thread.call(lambda: acts.revoke(self.conversation, name, actor="code"))

    # Looking ---------------------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """Its id in history."""
        return self.conversation.recorder.chat

    @property
    def state(self) -> ChatState:
        """The whole state; immutable, so it may be kept."""
        return self.conversation.state

    @property
    def title(self) -> str:
        """Its title."""
        return self.state.title

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents that take part."""
        return tuple(self.conversation.agents.values())

    @property
    def agent(self) -> Agent:
        """The agent that answers, or the first of several."""
        return self.conversation.first

    @property
    def notice(self) -> str:
        """Why the chat is read-only here, or what could not be read, is not as it was or is left out, or empty."""
        its = self.conversation
        return its.notice or " ".join(filter(None, (its.unread, changed(its.state.agents, self.id, self.agents))))

    @property
    def elsewhere(self) -> bool:
        """Whether it is read-only because it went on in another kernel, so that `take_over` goes on with it here."""
        return self.conversation.elsewhere

    @property
    def invocations(self) -> list[Invocation]:
        """All calls of the version that is shown, in order."""
        state = self.state
        return [state.invocations[key] for turn in state.turns for key in turn.calls]

    @property
    def messages(self) -> list[CoreMessage]:
        """The history as the model reads it."""
        return to_core_messages(self.state)

    def core_messages(self) -> list[dict[str, Any]]:
        """The history as a CoreMessage array, ready for JSON."""
        return core_messages.dump_python(self.messages, mode="json", exclude_none=True)

    @property
    def log(self) -> list[Entry]:
        """The entries, oldest first; those of a loaded chat's recovery are written with the first act."""
        return [*self._stored().entries, *self.conversation.unwritten]

    def _stored(self) -> Loaded:
        """The chat as its store has it, streamed text included."""
        self.thread.call(self.conversation.save)
        recorder = self.conversation.recorder
        return recorder.store.load(self.id) if recorder.begun else as_loaded([])

    def export(self, path: str | Path) -> Path:
        """Write the chat to a file; anything in it that looks like a key or password is replaced.

        Args:
            path: Ends in `.jsonl` (everything, to import again), `.json` (everything, one value), `.md` or `.html`
                (to read), or `.core.json` (a CoreMessage array).

        Raises:
            HistoryError: the ending is none of these.
        """
        path = Path(path)
        form = form_of(path)
        stored = self._stored()
        files = attached_files(stored, self.conversation.recorder.store)
        path.write_text(export(stored, form, files, self._drawings()), encoding="utf-8")
        return path

    def _drawings(self) -> Drawings:
        """What stands in place of results where the chat is read; a chat that is shown by renderers has some."""
        return {}

    # Other chats -----------------------------------------------------------------------------------------------------

    def open(self, chat_id: str) -> Chat:
        """Show another chat of the same history in the place of this one; returns this object, which now speaks of it.

        So a notebook's variable `chat`, its widget and its transcript always are the chat that the person sees: what a
        cell asks lands where they look. What runs in the chat that was open goes on, what waits there still waits, and
        a turn or pending call that was looked up stays one of its own chat.

        Raises:
            ChatNotFound: no chat has that id.
            HistoryError: it cannot be read.
        """
        known = self.thread.call(lambda: self.shelf.known(self.conversation, chat_id))
        self._show(known if known is not None else self._stored_conversation(chat_id, take=False))
        return self

    def take_over(self) -> Chat:
        """Go on here with a chat that another kernel writes, or that moved on there; that one then can only read it.

        Nothing is lost: it is read again, what runs there at this moment counts as unknown, and runs nothing here.

        Raises:
            HistoryError: it cannot be read or written.
        """

        def leave() -> None:  # what is said between reading and showing would be lost
            self.conversation.save()
            self.conversation.end("This chat is read again.", elsewhere=True)

        self.thread.call(leave)
        self._show(self._stored_conversation(self.id, take=True))
        return self

    def _stored_conversation(self, chat_id: str, *, take: bool) -> Conversation:
        store, clock = self.conversation.recorder.store, self.conversation.clock
        held = holding(store, chat_id, take=take)
        state, loaded = read(store, chat_id)
        agents, why_not = agents_for(state, store, self.conversation.agents)
        recorder = Recorder(store, chat_id, head=loaded.head)
        unwritten = [] if held else on_loading(state, loaded, at=clock.now())
        conversation = self._conversation(state, agents, recorder, clock, unwritten)
        if held or why_not:
            self.thread.call(lambda: conversation.end(held or why_not, elsewhere=bool(held)))
        conversation.unread = unread(loaded)
        return conversation

    def new(self, title: str = "") -> Chat:
        """Begin another chat with the same agents in the place of this one, like `open`."""
        conversation = self.conversation
        store, clock = conversation.recorder.store, conversation.clock
        self._show(self._conversation(*fresh(conversation.agents, store, clock, title=title)))
        return self

    def delete(self, chat_id: str) -> None:
        """Remove a chat of the same history for good; where it is the open one, a new one takes its place.

        Raises:
            ChatNotFound: no chat has that id.
        """
        if chat_id == self.id:
            self.new()
        store = self.conversation.recorder.store
        self.thread.call(lambda: self.shelf.drop(chat_id))
        store.delete(chat_id)

    def _show(self, conversation: Conversation) -> None:
        def show() -> None:
            before, self.conversation = self.conversation, conversation
            self.shelf.moved(before, conversation)
            self._appended.tell()

        self.thread.call(show)

    def watch(self, subscriber: Subscriber) -> Callable[[], None]:
        """Be told of every append to the open chat and, without entries, of another one being opened; returns the stop.

        Only on the agent thread, like `Conversation.subscribe`.
        """
        return self.shelf.watch(self.conversation, subscriber)

    def network(self, *, online: bool) -> None:
        """Say that the machine lost its network: an answer that streams fails at once; or has it back, to retry.

        For a program that knows it of the kernel's machine. Nothing has to say it: a request whose network goes away
        fails or falls silent, is tried again, and then says so. No page says it: the browser's network is another one
        where the kernel runs elsewhere, and where both run here a model on this machine answers without any.
        """
        self.thread.call(lambda: self.conversation.network(online=online))

    def attach(self) -> Screen:
        """A front end that says what it painted, so that a model is not read faster than it is shown."""
        conversation = self.conversation
        screen = Screen(conversation.pressure, self.thread.post)
        self.thread.call(lambda: conversation.pressure.attach(screen))
        return screen

    def wait_for(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Block until the condition holds after some append; False once the time is over.

        Raises:
            WaitRefused: the caller runs on the agent thread, where the chat could not go on meanwhile.
        """
        if self.thread.here and not condition():
            raise WaitRefused(_OWN_THREAD)
        return self._appended.wait_for(condition, timeout)

    def close(self) -> None:
        """Stop what runs and write what waits."""
        self.thread.call(lambda: self.shelf.close(self.conversation))

    def __repr__(self) -> str:
        count = len(self.state.turns)
        return f"<Chat {self.id} with {self.agent.name!r}: {count} {'turn' if count == 1 else 'turns'}>"


def _agents(given: Any, options: dict[str, Any]) -> dict[str, Agent]:
    """The agents by id; a document becomes an agent."""
    several = cast("Sequence[object]", given) if isinstance(given, list | tuple) else [given]
    agents = [one if isinstance(one, Agent) else Agent(cast("Any", one), **options) for one in several]
    found = {one.id: one for one in agents}
    if not agents:
        raise ArgumentRefused("A chat needs an agent.")
    if len(found) < len(agents):
        raise ArgumentRefused("Two agents of this chat have the same id; tell them apart by Agent(..., agent_id=...).")
    return found


def _check_words(text: object) -> None:
    if not isinstance(text, str):
        raise ArgumentRefused(f"A message is a text, not {type(text).__name__}: chat.ask('What can you do?').")


def _key(call: Invocation | str) -> str:
    return call if isinstance(call, str) else call.key


def _number(turn: Turn | int) -> int:
    return turn if isinstance(turn, int) else turn.number
