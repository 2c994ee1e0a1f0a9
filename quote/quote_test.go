package quote

import (
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
