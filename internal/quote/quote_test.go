package quote

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	for _, s := range []string{"data.csv", "/a b/c.csv", "Größe.toml", "表.parquet", `C:\x`, `a"b`} {
		if got := Name(s); got != s {
			t.Errorf("Name(%q) = %s", s, got)
		}
		if got := Line(s); got != s {
			t.Errorf("Line(%q) = %s", s, got)
		}
	}
	if got := Word(`a"b`); got != `"a\"b"` {
		t.Errorf("Word = %s", got)
	}
}

func TestStrange(t *testing.T) {
	for s, want := range map[string]string{
		"":                   `""`,
		" a":                 `" a"`,
		"a\nb":               `"a\nb"`,
		"a\x1b[31mb":         `"a\x1b[31mb"`,
		"a\u202eb":           `"a\u202eb"`,
		"a\xffb":             `"a\xffb"`,
		"a\u200bb\x00\ufeff": `"a\u200bb\x00\ufeff"`,
	} {
		if got := Name(s); got != want {
			t.Errorf("Name(%q) = %s, want %s", s, got, want)
		}
		if got := Word(s); got != want {
			t.Errorf("Word(%q) = %s, want %s", s, got, want)
		}
	}
	if got, want := Clean("ε\u202e\x1b\xff\U000e0001\n"), `ε\u202e\u001b\xff\U000e0001\u000a`; got != want {
		t.Errorf("Clean = %s, want %s", got, want)
	}
}

func TestLong(t *testing.T) {
	for _, letter := range []string{"a", "é", "字", "🙂", "\x1b", "\xff"} {
		long := "start" + strings.Repeat(letter, 1<<20) + "end"
		for name, got := range map[string]string{"Word": Word(long), "Name": Name(long), "Line": Line(long)} {
			if n := utf8.RuneCountInString(got); n > mostLine+1 || !strings.Contains(got, "start") || !strings.Contains(got, "end") || !strings.Contains(got, "…") {
				t.Errorf("%s of many %q: %d characters, %.80s", name, letter, n, got)
			}
			if Clean(got) != got {
				t.Errorf("%s of many %q is not printable", name, letter)
			}
		}
	}
	for _, n := range []int{mostWord - 1, mostWord, mostWord + 1} {
		if cut := strings.Contains(Word(strings.Repeat("字", n)), "…"); cut != (n > mostWord) {
			t.Errorf("%d characters: cut is %v", n, cut)
		}
	}
}

// Line removes the password from a URL, whatever characters it contains, and leaves the rest of the
// text unchanged.
func TestPasswords(t *testing.T) {
	for _, password := range []string{"secret", "se@cret", "se:cret", "se/cret", "%73ecret", "sécret", "se\"cret", ""} {
		for _, name := range []string{"ann", "", "a-b_c"} {
			for _, around := range []string{"%s", "--points %q is no range", "it is %s, and more", "(%s)", "a: %s; b"} {
				url := "postgres://" + name + ":" + password + "@host:5432/db"
				want := fmt.Sprintf(around, "postgres://"+name+"@host:5432/db")
				if got := Line(fmt.Sprintf(around, url)); got != want {
					t.Errorf("%q, not %q", got, want)
				}
			}
		}
	}
	for _, s := range []string{"", "user:password@host", "a: b@c", "http://host/a:b", "write postgres://user:password@host:port/name", "postgres://ann@host:1/db", "12:30 @ noon"} {
		if got := Line(s); got != s {
			t.Errorf("%q, not %q", got, s)
		}
	}
}
