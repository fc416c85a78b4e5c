"""Things without statistics in them: progress, atomic writing, the registry helper."""
