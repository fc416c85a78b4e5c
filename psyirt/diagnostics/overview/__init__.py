"""All diagnostics of one set of responses, together."""
