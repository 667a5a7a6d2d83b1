"""The demo agent: a real HTTP API described by an OpenAPI document with `x-mb`."""
