"""The facades: REST and command line. They know no primitive by name; they loop over the registry."""
