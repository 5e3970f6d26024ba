"""The parts of the soak."""
