"""Abilities and precision from item parameters and a population: nothing here needs a fit."""
