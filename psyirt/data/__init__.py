"""What was observed: labels, graded responses, their readers, and agreement."""
