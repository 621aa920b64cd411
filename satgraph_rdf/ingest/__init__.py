"""From published law to quads: adapters, the painter, the writer."""
