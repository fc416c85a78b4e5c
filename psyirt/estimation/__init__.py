"""How a calibration is made."""
