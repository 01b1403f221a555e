"""Calibration: the rates of a device, fitted to measured times of ops by groups of kinds."""
