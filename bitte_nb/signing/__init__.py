"""Signers behind one protocol; keys stay inside them."""
