"""Sources of answers behind one port: the offline model and real endpoints."""
