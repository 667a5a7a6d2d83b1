"""The pure core: messages, results, the two state machines, the log and its fold.

Nothing here reads a clock, a file or the network; time, ids and randomness are passed in.
"""
