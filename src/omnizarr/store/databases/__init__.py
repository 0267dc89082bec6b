"""Values as rows of a database: SQLite, LMDB, Redis."""
