// Package quote prepares untrusted texts (names of files, keys, command-line
// arguments) for messages. Such a text may contain control characters that a
// terminal interprets, marks that reverse the direction of writing, or a megabyte
// of text. Unprintable characters are escaped, and the middle of a long text is
// replaced by "…".
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
	mostWord = 60   // the maximum number of characters of a word
	mostName = 200  // of the name of a file
	mostLine = 1000 // of a whole message
)

// Word returns a text in quotes with Go escapes, shortened to 60 characters.
func Word(s string) string { return quoted(s, mostWord) }

// Name returns the name of a file or a key: unchanged if it is printable and has at most 200
// characters, and otherwise quoted and shortened.
func Name(s string) string {
	if s == "" || strings.ContainsFunc(s, strange) || strings.Trim(s, " ") != s || long(s, mostName) {
		return quoted(s, mostName)
	}
	return s
}

// credentials matches the part of a URL from :// to the @ before the host, if it has a password.
var credentials = regexp.MustCompile(`://[^\s:/@"]*:\S*@`)

// withoutPassword removes the password from credentials. It does not change the example
// ://user:password@, which messages use to show the syntax of a URL.
func withoutPassword(credentials string) string {
	if credentials == "://user:password@" {
		return credentials
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(credentials, "://"), ":")
	return "://" + name + "@"
}

// Line returns a message on one line, shortened to 1000 characters, with unprintable characters
// escaped. It removes passwords of URLs, because a user may give a URL in place of another argument.
func Line(s string) string {
	s = credentials.ReplaceAllStringFunc(Clean(s), withoutPassword)
	if !long(s, mostLine) {
		return s
	}
	head, tail := halves(s, mostLine)
	return head + "…" + tail
}

// Clean returns a text with unprintable characters and invalid UTF-8 escaped. It does not shorten
// it.
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

// Invalid returns the offset of the first byte that is not valid UTF-8, or -1.
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

// strange reports whether a character must be escaped.
func strange(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }

func quoted(s string, most int) string {
	if !long(s, most) {
		return strconv.Quote(s)
	}
	head, tail := halves(s, most)
	return strconv.Quote(head) + "…" + strconv.Quote(tail)
}

// long reports whether the text has more than most characters. It does not count them if that is clear
// from the number of bytes.
func long(s string, most int) bool {
	return len(s) > most && (len(s) > utf8.UTFMax*most || utf8.RuneCountInString(s) > most)
}

// halves returns the beginning and the end of a text, which have most characters in total.
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
