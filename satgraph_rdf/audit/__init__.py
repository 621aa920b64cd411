"""A record of every call: what was asked, on which revision, and the hash of what was answered."""
