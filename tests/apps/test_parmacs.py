"""m4 expansion of the PARMACS macros, with plain m4 and through tools/parmacs.py."""
import subprocess
import sys

import pytest
from app_runs import ROOT, app

sys.path.insert(0, str(ROOT / "tools"))
import parmacs  # noqa: E402

INCLUDE = ROOT / "apps" / "include"


def plain(text: str) -> str:
    """What m4 alone makes of a line."""
    done = subprocess.run(["m4", INCLUDE / "parmacs.m4", "-"], input=text, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout


def whole(text: str, tmp_path) -> str:
    source = tmp_path / "program.C"
    source.write_text(text)
    out = tmp_path / "out"
    out.mkdir()
    (result,) = parmacs.expand([source], [], out, INCLUDE)
    return "".join(line for line in result.read_text().splitlines(True) if not line.startswith("#line"))


@pytest.mark.parametrize("source,expected", [
    ("CREATE(f)", "{ts_create((void (*)(void))(f));}"),
    ("CREATE(f, P)", "{ts_create_all((void (*)(void))(f), P);}"),
    ("CREATE(slave, gp->n-1)", "{ts_create_all((void (*)(void))(slave), gp->n-1);}"),
    ("WAIT_FOR_END(P-1)", "{ts_wait_for_end(P-1);}"),
    ("WAIT_FOR_END()", "{ts_wait_for_end(0);}"),
    ("BARINIT(g->b)", "{ts_barrier_init(&(g->b), 0);}"),
    ("BARINIT(g->b, P)", "{ts_barrier_init(&(g->b), P);}"),
    ("BARRIER(b, P)", "{ts_barrier(&(b), P);}"),
    ("x = (int *) G_MALLOC(n*sizeof(int))", "x = (int *) ts_alloc(n*sizeof(int));"),
    ("x = G_MALLOC(n, p);", "x = ts_alloc_at(n, p);;"),
    ("x = G_MALLOC_F(n)", "x = ts_alloc(n)"),
    ("MAIN_INITENV(,80000000)", "{;}"),
    ("MAIN_INITENV", "{;}"),
    ("MAIN_END;", "{exit(0);};"),
    ("LOCKDEC(l) ALOCKDEC(a, 2*N) BARDEC(b)", "ts_lock_t l; ts_lock_t a[2*N]; ts_barrier_t b;"),
    ("LOCK(AGETL(a, i % 4))", "{ts_lock(&(((a)[i % 4])));}"),
    ("GETSUB(g->gs, i, n-1, P)", "{(i) = ts_getsub(&(g->gs), n-1, P);}"),
    ("CLOCK(t) AUG_ON", "{(t) = ts_clock();} "),
    ("SPLASH3_ROI_BEGIN();", "{ts_mark(1);};"),
])
def test_expansion(source, expected):
    assert plain(source) == expected


@pytest.mark.parametrize("text", [
    "int shift = len(x) << shift; index(s, 3); format(4); eval(2); substr(x); unix; incr(i);",
    "LOCK and BARRIER, PAUSE; int EVENT = DELAY + CONTINUE;",
    "#define LOCK(x) mine(x)\n",
])
def test_words_of_c_stay(text):
    assert plain(text) == text


def test_strings_and_comments_are_not_read(tmp_path):
    text = """/* it's LOCK(a) `here', and LOCK(b) */
char *s = "BARRIER(x, P) `quoted' isn't"; // CREATE(f), don't
char c = '`', d = '\\'', e = '"';
/* several
   lines */ int after;
"""
    assert whole(text, tmp_path) == text


def test_semicolon_of_g_malloc_goes_inside_an_expression(tmp_path):
    text = "if ((p = (char *) G_MALLOC(f(1), 2)) == 0) g(G_MALLOC(3), 4);\np = G_MALLOC(5)\nq = 1;\n"
    assert whole(text, tmp_path) == "if ((p = (char *) ts_alloc_at(f(1), 2)) == 0) g(ts_alloc(3), 4);\np = ts_alloc(5);\nq = 1;\n"


def test_last_line_may_lack_its_newline(tmp_path):
    assert whole("int x;\n#endif // LOCK(a)", tmp_path) == "int x;\n#endif // LOCK(a)\n"


def test_m4_quotes_of_a_program_still_quote(tmp_path):
    text = "ASKFOR(m, rc, P, `a = 1, b = 2; rc = 0;', `;')\n"
    assert "{ a = 1, b = 2; rc = 0; }" in whole(text, tmp_path)


def test_macro_the_program_defines_itself_is_its_own(tmp_path):
    text = "#define PAUSE(x) mine(x)\nPAUSE(3);\n"
    assert whole(text, tmp_path) == text


def test_error_names_the_line_of_the_original(tmp_path):
    source = tmp_path / "bad.C"
    source.write_text("/* two\n lines */\nMAIN_ENV\nint main()\n{\n  MAIN_INITENV(,1000)\n  return nothing;\n}\n")
    done = app(source, out=tmp_path / "out")
    assert done.returncode == 2 and f"{source}:7:10: error: 'nothing'" in done.stderr
    assert "does not compile" in done.stderr.splitlines()[-1]


def test_include_of_m4_finds_the_programs_header(tmp_path):
    (tmp_path / "decs.H").write_text("struct s { LOCKDEC(l) };\n")
    (tmp_path / "main.C").write_text("MAIN_ENV\ninclude(decs.h)\nint main() { struct s *s = G_MALLOC(sizeof *s); LOCKINIT(s->l) MAIN_END }\n")
    assert app("--native", tmp_path, out=tmp_path / "out").returncode == 0
