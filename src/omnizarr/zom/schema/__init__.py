"""JSON Schemas of models, and checking by any JSON Schema."""
