"""Transaction and message review: pure functions from a request to a card."""
