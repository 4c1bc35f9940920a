import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.settings import values
from pi_sandbox.settings.domains import setting_id


@pytest.mark.parametrize(
    ("text", "amount"),
    [("256m", 256 * 1024**2), ("512M", 512 * 1024**2), ("4g", 4 * 1024**3), ("4096G", 4096 * 1024**3)],
)
def test_memory_is_mebibytes_or_gibibytes(text, amount):
    assert values.parse_memory(text) == amount


@pytest.mark.parametrize("text", ["255m", "0g", "4", "4k", "4gb", "-4g", "4.5g", " 4g", "4097g", "٤g", "04g", "4g\n"])
def test_other_amounts_of_memory_are_refused(text):
    with pytest.raises(ValueError):
        values.parse_memory(text)


@pytest.mark.parametrize(("text", "cpus"), [("2", 2.0), ("1.5", 1.5), ("0.1", 0.1), ("1024", 1024.0)])
def test_processors_are_a_number_with_at_most_two_decimals(text, cpus):
    assert values.parse_cpus(text) == cpus


@pytest.mark.parametrize("text", ["0", "0.09", "1025", "-1", "two", "1e3", "1,5", "nan", "inf", "1.555", ".5"])
def test_other_numbers_of_processors_are_refused(text):
    with pytest.raises(ValueError):
        values.parse_cpus(text)


@pytest.mark.parametrize(("text", "count"), [("64", 64), ("1024", 1024), ("4194304", 4_194_304)])
def test_processes_are_a_whole_number(text, count):
    assert values.parse_processes(text) == count


@pytest.mark.parametrize("text", ["63", "4194305", "-1", "1_000", "64.0", "max"])
def test_other_numbers_of_processes_are_refused(text):
    with pytest.raises(ValueError):
        values.parse_processes(text)


def test_blanks_around_the_commas_of_a_list_do_not_count():
    assert values.parse_domains("private , my-club") == ("private", "my-club")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("private,", "empty item"),
        (",private", "empty item"),
        ("private,,work", "empty item"),
        ("private work", "no domain"),
        ("core,work", "cannot be a domain"),
        ("Work", "no domain"),
        ("a--b", "no domain"),
        ("my_club", "no domain"),
        ("../x", "no domain"),
        ("work,private,work", "BRAIN_WORK_"),
    ],
)
def test_a_list_of_domains_that_leaves_a_doubt_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        values.parse_domains(text)


NAMES = st.from_regex(r"[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,5}){0,3}", fullmatch=True).filter(lambda name: name != "core")


@given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_different_domains_never_share_the_names_of_their_settings(names):
    assert values.parse_domains(",".join(names)) == tuple(names)
    assert len({setting_id(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    "text", ["ANTHROPIC_API_KEY", "A,b_2 , _x", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "NODE_AUTH_TOKEN"]
)
def test_names_of_secrets_are_names_of_variables(text):
    assert values.parse_secret_names(text) == tuple(item.strip() for item in text.split(","))


@pytest.mark.parametrize(
    "text",
    [
        *["PATH", "Path", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "PYTHONPATH", "BASH_ENV", "HOME"],
        *["GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "npm_config_registry", "https_proxy", "PI_SANDBOX_SCOPE", "BRAIN_X"],
        *["PI_CODING_AGENT_DIR", "XDG_CONFIG_HOME", "SSL_CERT_FILE", "BASH_FUNC_x", "LC_ALL", "DOCKER_HOST"],
    ],
)
def test_a_name_that_would_change_how_programs_run_is_refused(text):
    with pytest.raises(ValueError, match="changes how programs run"):
        values.parse_secret_names(f"ANTHROPIC_API_KEY,{text}")


@pytest.mark.parametrize("text", ["A=1", "1A", "A B", "A,,B", "A,A", "A-B", "$A", "Ä"])
def test_anything_else_is_no_list_of_names(text):
    with pytest.raises(ValueError):
        values.parse_secret_names(text)


@pytest.mark.parametrize(
    "url",
    [
        "https://codeberg.org/me/pi-memory-core.git",
        "https://git.example.org:8443/a/b",
        "https://[2001:db8::1]/x/y.git",
        "https://git.example.org/~me/x%20y",
        "https://Git.Example.org/x/",
    ],
)
def test_a_push_url_stays_as_written(url):
    assert values.parse_push_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        *["http://git.example.org/x", "http://127.0.0.1/x", "ssh://git@example.org/x", "git@example.org:x", "/srv/x"],
        *["https://me@git.example.org/x", "https://me:pw@git.example.org/x", "https://git.example.org", "https:///x"],
        *["https://git.example.org/", "https://git.example.org/x?y", "https://git.example.org/x#y", "HTTPS://a.b/x"],
        *["https://git.example.org:0/x", "https://git.example.org:65536/x", "https://git.example.org:/x"],
        *["https://git.example.org/a/../b", "https://git.example.org/./b", "https://git.example.org/a//b"],
        *["https://git.example.org//a", "https://git.example.org/a//", "https://git.example.org//"],
        *["https://git.example.org/%2e%2e/b", "https://git.example.org/a%2Fb", "https://git.example.org/a%0ab"],
        *[
            "https://git.example.org/a%00",
            "https://git.example.org/a%25b",
            "https://git.example.org/a%2",
            "https://-x/y",
        ],
        *["https://git.example.org/a b", "https://git.example.org/a\nb", "https://gît.example.org/a", "ext::sh -c x"],
        *["https://git.example.org\\@evil.example/x", " https://git.example.org/x", "--upload-pack=x"],
    ],
)
def test_any_other_push_url_is_refused(url):
    with pytest.raises(ValueError):
        values.parse_push_url(url)


@pytest.mark.parametrize("url", ["git@example.org:a/b.git", "ssh://git@example.org/a", "git+ssh://example.org/a"])
def test_an_address_for_ssh_is_told_from_others(url):
    with pytest.raises(ValueError, match="only https is used"):
        values.parse_push_url(url)


@pytest.mark.parametrize(
    "url",
    [
        *["https://localhost/x", "https://LOCALHOST:8443/x", "https://git.localhost/x"],
        *["https://127.0.0.1/x", "https://127.1.2.3/x", "https://[::1]/x", "https://0.0.0.0/x"],
    ],
)
def test_a_url_that_names_the_container_itself_is_no_url_of_a_store(url):
    with pytest.raises(ValueError, match="the sync's container itself"):
        values.parse_store_url(url)


@pytest.mark.parametrize("url", ["https://localhost.example.org/x", "https://192.0.2.7/x", "https://[2001:db8::1]/x"])
def test_a_url_of_another_machine_is_one_of_a_store(url):
    assert values.parse_store_url(url) == url


@pytest.mark.parametrize(
    "url",
    ["https://git.example.org:443/me/x", "https://GIT.example.org./me/x.git/", "https://git.example.org/Me/%78.git"],
)
def test_two_spellings_of_a_repository_are_one_place(url):
    assert values.push_place(url) == values.push_place("https://git.example.org/me/x.git")


@pytest.mark.parametrize("url", ["https://git.example.org:8443/me/x.git", "https://git.example.org/me/y.git"])
def test_other_ports_and_paths_are_other_places(url):
    assert values.push_place(url) != values.push_place("https://git.example.org/me/x.git")


@pytest.mark.parametrize(
    "command", ["cat a | head -1", "cat a > b", "pass a 2>/dev/null", "cd /x; cat y", "true && cat a", "cat a &"]
)
def test_a_token_command_for_a_shell_is_refused_with_what_to_write(command):
    with pytest.raises(ValueError, match="no shell runs it: write sh -c"):
        values.parse_token_command(command)


@pytest.mark.parametrize("command", ["sh -c 'cat a | head -1'", "awk -F '|' '{print $2}' /a", "op read 'a;b' \">\""])
def test_signs_of_the_shell_in_quotes_are_ordinary(command):
    assert values.parse_token_command(command) == command


@pytest.mark.parametrize("command", ["op read op://Private/x/credential", "'/path with blanks/cmd' \"a b\"", "pass $X"])
def test_a_token_command_stays_as_written(command):
    assert values.parse_token_command(command) == command


@pytest.mark.parametrize("command", ["op 'read", 'op "read', "op\nread", "''", "# only a comment in a shell'", "op \\"])
def test_a_token_command_that_cannot_be_split_is_refused(command):
    with pytest.raises(ValueError):
        values.parse_token_command(command)


@pytest.mark.parametrize("user", ["me", "deploy-token 1", "größe@example.org"])
def test_a_user_name_stays_as_written(user):
    assert values.parse_user(user) == user


@pytest.mark.parametrize("user", ["me:x", " me", "me ", "m\ne", "m\u202ee", "m\udcffe"])
def test_a_user_name_that_would_break_a_credential_is_refused(user):
    with pytest.raises(ValueError):
        values.parse_user(user)


@pytest.mark.parametrize("image", ["debian:trixie-slim", "a.b:5000/c/d@sha256:0f", "Debian"])
def test_an_image_is_named_by_its_reference(image):
    assert values.parse_image(image) == image


@pytest.mark.parametrize("image", ["-debian", "debian trixie", "debian\n", "$(x)", "größe", "x" * 256])
def test_anything_else_is_no_name_of_an_image(image):
    with pytest.raises(ValueError):
        values.parse_image(image)


@pytest.mark.parametrize("runtime", ["runsc", "io.containerd.runsc.v1", "kata-qemu"])
def test_a_runtime_is_named_as_the_engine_names_it(runtime):
    assert values.parse_runtime(runtime) == runtime


@pytest.mark.parametrize("runtime", ["/usr/bin/runsc", "-x", "run sc", ""])
def test_anything_else_is_no_name_of_a_runtime(runtime):
    with pytest.raises(ValueError):
        values.parse_runtime(runtime)
