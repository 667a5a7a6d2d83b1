"""What can stand behind a tool's name: an operation, a wallet's primitive, a service's primitive, a Python function."""
