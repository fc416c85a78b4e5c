"""From a calibration to a scale: pruning with stated reasons, and the artefact that scores new systems."""
