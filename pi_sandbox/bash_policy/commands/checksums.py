"""md5sum and the like, cksum, b2sum, sum, shasum: checksums. No option writes, runs or connects; -c reads."""

from __future__ import annotations

from pi_sandbox.bash_policy.table_rules import option_table, table_rule

_SUM = "-b/--binary -c/--check --tag -t/--text -z/--zero --ignore-missing --quiet --status --strict -w/--warn"
_GNU = ("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum")

RULES = (
    table_rule(
        "md5sum(1), sha1sum(1) to sha512sum(1), b2sum(1), cksum(1), sum(1) of coreutils 9.7, shasum(1) of Perl 5.40",
        *(option_table(command, _SUM, only_reads=True) for command in _GNU),
        option_table("b2sum", f"{_SUM} -l/--length=", only_reads=True),
        option_table(
            "cksum", f"{_SUM} -l/--length= -a/--algorithm= --base64 --debug --raw --untagged", only_reads=True
        ),
        option_table("sum", "-r -s/--sysv", only_reads=True),
        option_table(
            "shasum",
            "-a/--algorithm= -b/--binary -c/--check --tag -t/--text -U/--UNIVERSAL -0/--01 --ignore-missing "
            "-q/--quiet -s/--status -S/--strict -w/--warn -h -v",
            only_reads=True,
        ),
        allowed=(
            "md5sum a.md",
            "sha256sum *",
            "sha256sum -c SHA256SUMS",
            "sha1sum --tag a.md",
            "b2sum -l 128 a.md",
            "cksum -a sha256 a.md",
            "sum a.md",
            "shasum -a 256 a.md",
        ),
        refused=("md5sum --output=x a", "sha256sum --chec x", "cksum -o 1 a", "b2sum /dev/zero", "shasum -p a"),
    ),
)
