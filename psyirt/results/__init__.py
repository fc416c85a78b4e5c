"""What a fit is: frozen results whose costly parts are computed when first asked for."""
