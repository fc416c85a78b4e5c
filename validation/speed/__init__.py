"""Speed: psyirt and its peers on the same simulated data, one after the other in one run."""
