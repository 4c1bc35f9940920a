import pytest

from pi_sandbox.git_access.object_data import (
    FOLDER,
    MalformedObjectError,
    TreeItem,
    object_id,
    parse_commit,
    parse_tree,
)

NAME, TREE, PARENT = "1" * 40, "2" * 40, "3" * 40
WHO = "A B <a@localhost> 1700000000 +0130"
PLAIN = f"tree {TREE}\nparent {PARENT}\nauthor {WHO}\ncommitter {WHO}\n"

ACCEPTED = {
    "plain": f"{PLAIN}\nsubject\n",
    "no message": f"{PLAIN}\n",
    "a first commit": f"tree {TREE}\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "a merge": f"tree {TREE}\nparent {PARENT}\nparent {NAME}\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "no name": f"tree {TREE}\nauthor <a@b> 0 -1200\ncommitter <> 1 +0000\n\nx",
    "a signature and an encoding": f"{PLAIN}encoding ISO-8859-1\ngpgsig -----BEGIN\n \n abc\n -----END\n\nx",
}
REFUSED = {
    "no tree": f"author {WHO}\ncommitter {WHO}\n\nx",
    "two trees": f"tree {TREE}\n{PLAIN}\nx",
    "a parent that is no id": f"tree {TREE}\nparent x\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "an id of another hash": f"tree {'2' * 64}\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "two authors": f"tree {TREE}\nauthor {WHO}\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "no committer": f"tree {TREE}\nauthor {WHO}\n\nx",
    "a late header": f"{PLAIN}parent {PARENT}\n\nx",
    "text behind the time": f"tree {TREE}\nauthor {WHO} x\ncommitter {WHO}\n\nx",
    "a time that is a long number": f"tree {TREE}\nauthor A <a@b> 4111111111111111 +0000\ncommitter {WHO}\n\nx",
    "a time with a digit too many": f"tree {TREE}\nauthor A <a@b> 49896383512 +0000\ncommitter {WHO}\n\nx",
    "a zone that is none": f"tree {TREE}\nauthor A <a@b> 1 +7001\ncommitter {WHO}\n\nx",
    "a bracket in the name": f"tree {TREE}\nauthor A> <a@b> 1 +0000\ncommitter {WHO}\n\nx",
    "a NUL in a header": f"{PLAIN}x y\0z\n\nx",
    "a line that is no header": f"{PLAIN}nothing\n\nx",
    "no end of the headers": PLAIN,
    "nothing": "",
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_a_commit_as_git_writes_it_is_taken_apart_whole(text):
    commit = parse_commit(NAME, text.encode())

    assert f"{commit.header}\n\n{commit.message}" == text
    assert commit.tree == TREE


def test_the_parts_of_a_commit_are_told_apart():
    commit = parse_commit(NAME, ACCEPTED["a signature and an encoding"].encode())

    assert (commit.parents, commit.identities) == ((PARENT,), ("A B <a@localhost>", "A B <a@localhost>"))
    assert commit.other_headers == ("encoding ISO-8859-1", "gpgsig -----BEGIN", " ", " abc", " -----END")


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_a_commit_that_git_would_not_write_is_refused(text):
    with pytest.raises(MalformedObjectError):
        parse_commit(NAME, text.encode())


def tree(*entries):
    return b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(one) for mode, name, one in entries)


ODD_TREES = {
    "a folder without files": tree((FOLDER, "a", object_id("tree", b"", "sha1"))),
    "a file that is the empty tree": tree(("100644", "a", object_id("tree", b"", "sha1"))),
    "a name twice": tree(("100644", "a", NAME), ("100644", "a", TREE)),
    "a file and a folder of one name": tree(("100644", "a", NAME), ("100644", "a.b", NAME), (FOLDER, "a", TREE)),
    "another order": tree(("100644", "b", NAME), ("100644", "a", NAME)),
    "a mode with a zero before it": tree(("040000", "a", NAME)),
    "a mode that git no longer writes": tree(("100664", "a", NAME)),
    "a mode that is a text": tree(("token", "a", NAME)),
    "no name": tree(("100644", "", NAME)),
    "a path": tree(("100644", "a/b", NAME)),
    "the folder above": tree((FOLDER, "..", NAME)),
    "a cut end": tree(("100644", "a", NAME))[:-1],
    "a text at the end": tree(("100644", "a", NAME)) + b"token",
}


def test_a_tree_as_git_writes_it_is_taken_apart():
    entries = [("100644", "a.b", NAME), (FOLDER, "a", TREE), ("120000", "a0", NAME), ("160000", "b", NAME)]

    assert parse_tree(tree(*entries), "sha1") == tuple(TreeItem(*entry) for entry in entries)
    assert parse_tree(b"", "sha1") == ()


@pytest.mark.parametrize("content", ODD_TREES.values(), ids=ODD_TREES)
def test_a_tree_that_git_would_not_write_is_refused(content):
    with pytest.raises(MalformedObjectError):
        parse_tree(content, "sha1")
