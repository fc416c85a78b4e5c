"""Where ability lives: quadrature grids and population densities."""
