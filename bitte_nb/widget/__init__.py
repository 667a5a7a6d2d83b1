"""Projections of a chat for a page, and the contract with its JavaScript."""
