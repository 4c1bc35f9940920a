"""One module for each family of commands: names, options, examples; none of them imports another."""
