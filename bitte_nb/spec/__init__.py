"""OpenAPI documents into tools, tools into requests, responses into results."""
