"""Responses and whole crowd studies from known parameters: what an estimate can be compared with the truth on."""

from psyirt.simulation.crowd_study import CrowdStudy as CrowdStudy
from psyirt.simulation.crowd_study import simulate_crowd_study as simulate_crowd_study
from psyirt.simulation.graded import SimulatedResponses as SimulatedResponses
from psyirt.simulation.graded import simulate_responses as simulate_responses
