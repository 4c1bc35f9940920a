"""The memory engine as a server: one request a line in, one answer a line out, JSON-RPC 2.0."""
