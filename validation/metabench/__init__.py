"""Large language models on a leaderboard: psyirt beside stored fits of R's mirt."""
