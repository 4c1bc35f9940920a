"""file: what kind of content files have.

- `-C` writes a compiled magic file, `-p` sets times back, `-z` and `-Z` run decompressors, `-s` reads devices, `-S`
  lifts file's own sandbox, `-m` reads another program of tests.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.table_rules import option_table, table_rule

_ADVICE = {
    **dict.fromkeys(("-C", "--compile"), "writes a file; leave it out"),
    **dict.fromkeys(("-p", "--preserve-date"), "sets times of files; leave it out"),
    **dict.fromkeys(
        ("-z", "-Z", "--uncompress", "--uncompress-noreport"), "runs programs; write zcat -- FILE | file -"
    ),
    **dict.fromkeys(("-s", "--special-files"), "reads devices; leave it out"),
    **dict.fromkeys(("-m", "--magic-file"), "brings tests of its own; leave it out"),
}

RULES = (
    table_rule(
        "file(1) 5.46",
        option_table(
            "file",
            "-b/--brief -c/--checking-printout -e/--exclude= --exclude-quiet= -F/--separator= -f/--files-from= "
            "-i/--mime --mime-type --mime-encoding --apple --extension -k/--keep-going -L/--dereference "
            "-h/--no-dereference -n/--no-buffer -N/--no-pad -0/--print0 -r/--raw -v",
            advice=_ADVICE,
        ),
        allowed=("file a.md", "file -b --mime-type notes/*", "file -i ./*", "file -", "file -L -- *.md"),
        refused=(
            "file -C",
            "file -C -m a",
            "file -bC a",
            "file --compile a",
            "file -m evil a",
            "file --magic-file=evil a",
            "file -z a.gz",
            "file -Z a.gz",
            "file -p a",
            "file -s a",
            "file -S a",
            "file *",
        ),
    ),
)
