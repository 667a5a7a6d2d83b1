"""The loop: chats, turns, the policy and the runner that carries out what was approved."""
