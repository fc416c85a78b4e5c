"""How many abilities the items share."""
