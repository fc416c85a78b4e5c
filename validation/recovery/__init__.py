"""Recovery: simulate from known item parameters, fit, and compare estimates and intervals with the truth."""
