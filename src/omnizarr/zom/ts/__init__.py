"""Models as types of TypeScript."""
