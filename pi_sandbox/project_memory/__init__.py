"""Project memory: every rule of the extension, and the files that it keeps."""
