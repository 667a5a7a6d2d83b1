"""Words of identifiers, and the verbs among them."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["DESTRUCTIVE", "MUTATING", "READING", "VERBS", "word_set", "words_of"]


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


READING = word_set("""
    browse calculate check compare compute count describe detect diff discover download estimate evaluate explain
    explore export fetch filter find get head inspect list load look lookup match monitor ping poll predict preview
    query quote read render resolve retrieve search see show simulate stat status summarize tail tell test translate
    validate verify view watch
""")
"""Verbs of operations that change nothing."""

DESTRUCTIVE = word_set("""
    archive ban bridge burn cancel charge clear deactivate decline delete destroy detach disable disconnect drop
    erase evict expire kill liquidate pay prune purge redeem refund reject remove reset revoke sell send stake swap
    terminate transfer trash truncate unassign uninstall unlink unpublish unstake unsubscribe wipe withdraw
""")
"""Verbs of operations that take something away or move money."""

MUTATING = DESTRUCTIVE | word_set("""
        accept activate add advance allow analyse analyze annotate answer append apply approve ask assess assign
        attach audit authorize backfill backup batch begin bind block book borrow broadcast build bulk buy
        capture cast change chat choose claim classify clone close collect commit complete compress compute
        configure confirm connect continue convert copy crawl create crop debug decide decline decode decrypt
        define delay delegate deliver deny deploy deposit derive deselect disapprove dismiss dispatch draft
        drain draw dump duplicate edit embed emit enable encode encrypt enforce enqueue enroll enter escalate
        exchange exclude execute exit expand extend extract favorite finalize finish fix flag flip flush follow
        fork format forward freeze generate grant guess handle handshake harvest hash host identify ignore
        impersonate import include increment index ingest init initialize insert install integrate introspect
        invite invoke isolate issue join kick label launch leave lend like link lock log login logout make
        manage map mark measure merge message migrate mint mirror modify move multisend mute name negotiate
        normalize notify obtain offer open order override parse patch pause perform pick pin place populate post
        prepare preserve process promote provide provision publish purchase push put queue rank rate reactivate
        rebuild receive recommend reconcile record recover redirect redo reduce refresh regenerate register
        reindex relay release reload relocate remind rename renew reopen reorder repair repay repeat replace
        reply report request reschedule resend reserve resize restart restore resume retry retweet reverse
        review rewrite ring roll rotate route run sample save scale scan schedule score scrape seed select serve
        set settle share shorten shuffle sign signin signout signup skip snapshot snooze solve sort spawn speak
        specify spin split stage star start stop store stream submit subscribe suggest supply suspend sweep
        switch sync synthesize tag take toggle toss track transcribe transform transition trigger tweet
        unarchive unban unblock undelegate undo unfollow unfreeze unify unlike unlock unmark unmute unpin
        unregister unselect unset unstar untag unwatch unwrap update upgrade upload upsert use void vote wait
        wake warn whitelist wrap write
    """)
"""Verbs of operations that may change something."""

VERBS = READING | MUTATING

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+")


@lru_cache(maxsize=8192)
def words_of(identifier: str) -> tuple[str, ...]:
    """The words of an identifier in any style, in lower case: `getUserById` is get, user, by, id."""
    return tuple(word.lower() for word in _WORD.findall(identifier))
