"""What P(response | theta) is: pure NumPy, no estimation, no input or output."""
