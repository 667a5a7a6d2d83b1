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
        abort accept acquire activate add adjust advance aggregate align allocate allow analyse analyze annotate
        anonymize answer append apply approve arm ask assess assign attach audit augment authorize automate
        backfill backup balance batch begin bind block book bootstrap borrow bounce broadcast build bulk bundle
        buy calibrate capture cast change chat choose claim classify clone close collect commit compact complete
        compress compute configure confirm connect consolidate consume contact continue contribute convert copy
        crawl create crop customize debug decide decline decode decrypt define delay delegate deliver deny
        deploy deposit dequeue derive deselect diagnose dial disapprove disarm dismiss dispatch dock draft drain
        draw dump duplicate edit email embed emit enable encode encourage encrypt enforce enhance enqueue enrich
        enroll enter escalate escrow exchange exclude execute exit expand extend extract favorite fill finalize
        finetune finish fix flag flatten flip flush follow fork format forward freeze fulfil fulfill generate
        geocode give grant ground guess handle handshake hangup harvest hash host identify ignore impersonate
        import include increment index ingest init initialize insert install integrate introspect invalidate
        invite invoke isolate issue jettison join kick label launch leave lend like link liquidate loan lock log
        login logout make manage map mark materialize measure mention merge message migrate mint mirror mock
        modify mount move multisend mute name negotiate normalize notify obtain offer open operate optimize
        orbit order outline override page park parse participate patch pause perform pick pin ping place pledge
        populate post prepare preserve process promote prompt provide provision publish purchase push put queue
        rank rate reactivate reassign rebalance reboot rebuild recalc recalculate receive reclaim recommend
        reconcile record recover redeem redeploy redirect redo redraft reduce refine refresh refuel regen
        regenerate register reindex reinvite reject rekey relay release reload relocate remap remind rename
        render renew reopen reorder repair repay repeat replace reply report repost request requeue rescan
        reschedule resend reserve resize restart restore resubmit resume retrain retry retweet reverse review
        rewind rewrite ring roll rotate route run sample save scale scan schedule score scrap scrape screenshot
        seed select serve set settle share shorten shuffle shut sign signin signout signup siphon skip sms
        snapshot snooze solve sort spawn speak specify spin split stage star start stitch stop store stream
        submit subscribe suggest supply suspend sweep switch sync synchronize synthesize tag take text toggle
        toss track train transcribe transform transition trigger tune tweet type unarchive unassign unban
        unblock uncancel undelegate undo undock unfollow unfreeze unify unlike unlock unmark unmerge unmute
        unpause unpin unregister unselect unset unshare unstar unsuspend untag unwatch unwrap update upgrade
        upload upsell upsert use vectorize verify visit void vote wait wake warn whitelist wrap write
    """)
"""Verbs of operations that may change something."""

VERBS = READING | MUTATING

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+")


@lru_cache(maxsize=8192)
def words_of(identifier: str) -> tuple[str, ...]:
    """The words of an identifier in any style, in lower case: `getUserById` is get, user, by, id."""
    return tuple(word.lower() for word in _WORD.findall(identifier))
