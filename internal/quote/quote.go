// Package quote writes what a stranger may have chosen (the name of a file, a
// key, a word of a command line) into a message for people. Such a text may hold
// control characters that a terminal acts on, marks that turn the direction of
// writing, or a megabyte: what is not printable is shown as an escape, and what
// is long is cut in its middle.
package quote

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostWord = 60   // characters of a word
	mostName = 200  // of the name of a file
	mostLine = 1000 // of a whole message
)

// Word returns a text in quotes, with escapes as Go has them.
func Word(s string) string { return quoted(s, mostWord) }

// Name returns the name of a file or of a key: as it is where it is short and plain, else
// as Word writes it.
func Name(s string) string {
	if s == "" || strings.ContainsFunc(s, strange) || strings.Trim(s, " ") != s || long(s, mostName) {
		return quoted(s, mostName)
	}
	return s
}

// credentials finds what stands before the host of a URL, with a password in it.
var credentials = regexp.MustCompile(`://[^\s:/@"]*:\S*@`)

// withoutPassword leaves the password out of credentials, but where they say how a URL is written.
func withoutPassword(credentials string) string {
	if credentials == "://user:password@" {
		return credentials
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(credentials, "://"), ":")
	return "://" + name + "@"
}

// Line returns a message, which may hold plain text in any script, on one line. What looks like
// the password of a URL is left out: a URL may come to be where another word is expected.
func Line(s string) string {
	s = credentials.ReplaceAllStringFunc(Clean(s), withoutPassword)
	if !long(s, mostLine) {
		return s
	}
	head, tail := halves(s, mostLine)
	return head + "…" + tail
}

// Clean returns a text of any length with escapes for what a terminal would act
// on, such as control characters, and for what is no text.
func Clean(s string) string {
	if !strings.ContainsFunc(s, strange) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case strange(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case strange(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// Invalid returns where the text is not UTF-8, or -1.
func Invalid(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func strange(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }

func quoted(s string, most int) string {
	if !long(s, most) {
		return strconv.Quote(s)
	}
	head, tail := halves(s, most)
	return strconv.Quote(head) + "…" + strconv.Quote(tail)
}

// long tells whether the text has more characters, without counting all of them.
func long(s string, most int) bool {
	return len(s) > most && (len(s) > utf8.UTFMax*most || utf8.RuneCountInString(s) > most)
}

// halves returns the beginning and the end of a text, together so many
// characters.
func halves(s string, most int) (head, tail string) {
	first, last := 0, len(s)
	for range most - most/3 {
		_, size := utf8.DecodeRuneInString(s[first:])
		first += size
	}
	for range most / 3 {
		_, size := utf8.DecodeLastRuneInString(s[:last])
		last -= size
	}
	return s[:first], s[last:]
}
