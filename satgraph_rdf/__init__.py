"""SAT-Graph RDF: what the law said, on which date, as known when, and because of which act."""

__version__ = "0.1.0"
