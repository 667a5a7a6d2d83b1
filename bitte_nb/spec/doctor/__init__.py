"""Advice on a document as a prompt: rules by family."""
