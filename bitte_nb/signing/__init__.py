"""Signers behind one protocol; keys stay inside them.

A request is read by `requests`, signed by a `Signer` (`development`, `review_only`, `paste`) and what comes back is
verified (`nep413`, `evm`) before it is a result.
"""
