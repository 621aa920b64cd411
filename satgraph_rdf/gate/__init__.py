"""The gate: no revision is published whose graph breaks a shape.

The shapes are SHACL (``shapes/*.ttl``), so anyone can check the data with a tool of their own. Here they
are compiled to set-wise queries: one query a constraint for the whole graph instead of one a node.
"""
