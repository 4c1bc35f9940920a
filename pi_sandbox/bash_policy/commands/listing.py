"""ls, stat, du, df, readlink, realpath, namei: what the file system says of files. They open no file's content.

- No option of theirs writes, runs or connects, in GNU coreutils 9.7 or in the BSD tools of the same name; only
  `df --sync` asks the kernel to write out what it holds, and is refused.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.table_rules import option_table, table_rule

_LS = (
    "-a/--all -A/--almost-all --author -b/--escape --block-size= -B/--ignore-backups -c -C --color=? -d/--directory "
    "-D/--dired -f -F --classify=? --file-type --format= --full-time -g --group-directories-first -G/--no-group "
    "-h/--human-readable --si -H/--dereference-command-line --dereference-command-line-symlink-to-dir --hide= "
    "--hyperlink=? -i/--inode -I/--ignore= --indicator-style= -k/--kibibytes -l -L/--dereference -m "
    "-n/--numeric-uid-gid -N/--literal -o -p -q/--hide-control-chars --show-control-chars -Q/--quote-name "
    "--quoting-style= -r/--reverse -R/--recursive -s/--size -S --sort= --time= --time-style= -t -T/--tabsize= -u -U "
    "-v -w/--width= -x -X -Z/--context --zero -1"
)
_DU = (
    "-0/--null -a/--all --apparent-size/-A -B/--block-size= -b/--bytes -c/--total -D/--dereference-args "
    "-d/--max-depth= --files0-from= -H -h/--human-readable --inodes -k -L/--dereference -l/--count-links -m "
    "-P/--no-dereference -S/--separate-dirs --si -s/--summarize -t/--threshold= --time=? --time-style= "
    "-X/--exclude-from= --exclude= -x/--one-file-system"
)
_DF = (
    "-a/--all -B/--block-size= -h/--human-readable -H/--si -i/--inodes -k -l/--local --no-sync --output=? "
    "-P/--portability --total -t/--type= -T/--print-type -x/--exclude-type= -v"
)
_READLINK = (
    "-f/--canonicalize -e/--canonicalize-existing -m/--canonicalize-missing -n/--no-newline -q/--quiet "
    "-s/--silent -v/--verbose -z/--zero"
)
_REALPATH = (
    "-E/--canonicalize -e/--canonicalize-existing -m/--canonicalize-missing -L/--logical -P/--physical -q/--quiet "
    "--relative-to= --relative-base= -s/--strip/--no-symlinks -z/--zero"
)

RULES = (
    table_rule(
        "ls(1), dir(1), vdir(1) of GNU coreutils 9.7",
        option_table("ls", _LS, only_reads=True),
        option_table("dir", _LS, only_reads=True),
        option_table("vdir", _LS, only_reads=True),
        allowed=(
            "ls",
            "ls -la",
            "ls -lt --time-style=long-iso notes",
            "ls *.md",
            "ls -d */",
            "ls -I '*.tmp' --color=never -- -delete",
            "dir -1",
            "vdir notes",
        ),
        refused=("ls --all=yes", "ls --colour", "ls --out=x", "ls -e"),
        opens_files=False,
    ),
    table_rule(
        "stat(1) of GNU coreutils 9.7",
        option_table(
            "stat", "-L/--dereference -f/--file-system --cached= -c/--format= --printf= -t/--terse", only_reads=True
        ),
        allowed=("stat notes/a.md", "stat -c '%n %s %Y' *.md", "stat --printf='%y\\n' a.md", "stat -f ."),
        refused=("stat --format", "stat --set=1 a.md", "stat -x a.md"),
        opens_files=False,
    ),
    table_rule(
        "du(1) and df(1) of GNU coreutils 9.7",
        option_table("du", _DU, only_reads=True),
        option_table("df", _DF, only_reads=True, advice={"--sync": "writes out what the kernel holds; leave it out"}),
        allowed=("du -sh", "du -sh *", "du -ah --max-depth=1 notes", "df -h", "df -h .", "df --output=avail,target"),
        refused=("df --sync", "du --max=1", "du -w", "df --output-file=x"),
        opens_files=False,
    ),
    table_rule(
        "readlink(1) and realpath(1) of GNU coreutils 9.7, namei(1) of util-linux 2.41",
        option_table("readlink", _READLINK, only_reads=True),
        option_table("realpath", _REALPATH, only_reads=True),
        option_table(
            "namei",
            "-x/--mountpoints -m/--modes -o/--owners -l/--long -n/--nosymlinks -v/--vertical -Z/--context -h -V",
            only_reads=True,
        ),
        allowed=(
            "readlink -f notes/a.md",
            "realpath .",
            "realpath --relative-to=/tmp notes",
            "realpath *.md",
            "namei -l notes/a.md",
        ),
        refused=("readlink --canon a", "realpath --output=x a", "readlink -o a", "namei --mode a"),
        opens_files=False,
    ),
)
