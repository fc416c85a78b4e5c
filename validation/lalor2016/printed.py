"""Numbers printed by Lalor, Wu & Yu (2016), and R mirt's log-likelihoods for the same fits."""

from __future__ import annotations

KEPT = {"contradiction": 20, "entailment": 28, "neutral": 28}

# Table 2, the 5GS row: share of items on which a majority, or more than two thirds, agree
AGREEMENT = {"majority": 0.967, "supermajority": 0.822}

# Table 3: Fleiss' kappa
KAPPA = {"overall": 0.60, "contradiction": 0.59, "entailment": 0.63, "neutral": 0.54}

# Table 4 prints these with two decimals, the others with three
TWO_DECIMALS = {("entailment", "a")}

# Table 4: lowest and highest difficulty and slope of the retained items
PARAMETERS = {
    "contradiction": {"b": (-2.765, 0.704), "a": (0.846, 2.731)},
    "entailment": {"b": (-3.253, -1.898), "a": (0.78, 2.61)},
    "neutral": {"b": (-2.082, -0.555), "a": (1.271, 3.598)},
}

# Not printed in the paper: R mirt on the same items and data, converged
MIRT = {
    "contradiction": {"b": (-2.765, 0.705), "a": (0.846, 2.729), "loglik": -8455.233},
    "entailment": {"b": (-3.252, -1.898), "a": (0.780, 2.617), "loglik": -4956.809},
    "neutral": {"b": (-2.081, -0.553), "a": (1.272, 3.597), "loglik": -7755.348},
}

# Table 5: the LSTM's ability on each class
SYSTEM = {"contradiction": 1.539, "entailment": -0.133, "neutral": 0.423}
