"""The notebook workbench for agents made of OpenAPI documents."""
