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
    accept activate add allow answer append apply approve ask assign attach authorize backup batch begin block book
    build bulk buy change chat choose claim classify clone close commit complete configure confirm connect convert
    copy crawl create decode decrypt deploy deposit disapprove dismiss dispatch draw edit embed enable encode
    encrypt enroll execute extract flip follow fork format generate grant guess handle handshake hash import
    increment init initialize insert install invite invoke issue join launch leave like link lock log login logout
    make manage map mark merge migrate mint modify move mute notify open order parse patch pause perform pick pin
    place post prepare process promote provision publish push put queue rank rate reactivate rebuild record refresh
    regenerate register release reload rename renew reopen reorder replace reply report request resend reserve
    restart restore resume retry roll rotate run save scan schedule score scrape set share sign snooze solve sort
    split star start stop store submit subscribe suspend switch sync tag take toggle toss track transform trigger
    unarchive unblock undo unfollow unlock unmute unpin unstar unwrap update upgrade upload upsert use vote wrap
    write
""")
"""Verbs of operations that may change something."""

VERBS = READING | MUTATING

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+")


@lru_cache(maxsize=8192)
def words_of(identifier: str) -> tuple[str, ...]:
    """The words of an identifier in any style, in lower case: `getUserById` is get, user, by, id."""
    return tuple(word.lower() for word in _WORD.findall(identifier))
