"""Chats on disk: an append-only store of entries, exports and imports."""
