"""Statistics of a whole model: is ability normal in the crowd."""
