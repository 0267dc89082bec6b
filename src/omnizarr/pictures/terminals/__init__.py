"""Pictures in terminals: as pixels where a terminal can show them, else as coloured characters."""
