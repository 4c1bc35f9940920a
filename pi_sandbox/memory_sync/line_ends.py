"""Keeps the line ends that a file has in the repository, so that a checkout with others shows no change.

A difference in line ends alone is no change. Where the committed file has only LF, or only CRLF, a changed file gets
the same; what is scanned, shown and pushed is that content. A file with a NUL byte, with a lone CR before a CRLF (which
would become one), with mixed line ends in the repository, or without a committed version stays as it is on the disk.
"""


def with_committed_line_ends(content: bytes, committed: bytes) -> bytes:
    """Gives the content as it is pushed over the committed content."""
    if content == committed or b"\0" in content or b"\0" in committed or b"\r\r\n" in content:
        return content
    if _with_lf(content) == _with_lf(committed):
        return committed
    if b"\r\n" not in committed and b"\n" in committed:
        return _with_lf(content)
    if b"\r\n" in committed and committed.count(b"\n") == committed.count(b"\r\n"):
        return _with_lf(content).replace(b"\n", b"\r\n")
    return content


def _with_lf(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")
