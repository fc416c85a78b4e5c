"""Second derivatives of the marginal likelihood and scores of the subjects, from likelihood and models alone."""
