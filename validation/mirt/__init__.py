"""Agreement with converged fits of R's mirt."""
