// Package quote prepares untrusted texts (names of files, keys, command-line arguments) for
// messages. An untrusted text may contain control characters that a terminal interprets or
// characters that reverse the direction of writing, and it may be very long. The functions of this
// package escape unprintable characters and replace the middle of a long text by "…".
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
	mostWord = 60   // maximum number of characters of the text in Word
	mostName = 200  // maximum number of characters of the text in Name
	mostLine = 1000 // maximum number of characters of the message in Line
)

// Word returns the text s as a quoted Go string, shortened to at most 60 characters.
func Word(s string) string { return quoted(s, mostWord) }

// Name returns the name of a file or a key for messages. The name is unchanged if it is printable, is not empty,
// neither begins nor ends with a space, and has at most 200 characters. Otherwise it is quoted, and shortened to
// 200 characters.
func Name(s string) string {
	if s == "" || strings.ContainsFunc(s, strange) || strings.Trim(s, " ") != s || long(s, mostName) {
		return quoted(s, mostName)
	}
	return s
}

// credentials is a pattern of the part of a URL that contains a user and a password: from :// to the @ before the
// host.
var credentials = regexp.MustCompile(`://[^\s:/@"]*:\S*@`)

// withoutPassword removes the password from the given part of a URL. It leaves ://user:password@ unchanged, because
// messages use this text to explain the syntax of a URL.
func withoutPassword(credentials string) string {
	if credentials == "://user:password@" {
		return credentials
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(credentials, "://"), ":")
	return "://" + name + "@"
}

// Line returns a message as one line of at most 1000 characters, with unprintable characters escaped. It removes
// passwords from URLs, because a user may have given a URL in place of another argument.
func Line(s string) string {
	s = credentials.ReplaceAllStringFunc(Clean(s), withoutPassword)
	if !long(s, mostLine) {
		return s
	}
	head, tail := halves(s, mostLine)
	return head + "…" + tail
}

// Clean returns the text s with unprintable characters and invalid UTF-8 escaped, without shortening it.
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

// Invalid returns the offset of the first byte that is not valid UTF-8, or -1 if the whole text is valid.
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

// strange reports whether a character must be escaped in messages, because it is not printable, or is the
// replacement character for invalid UTF-8.
func strange(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }

func quoted(s string, most int) string {
	if !long(s, most) {
		return strconv.Quote(s)
	}
	head, tail := halves(s, most)
	return strconv.Quote(head) + "…" + strconv.Quote(tail)
}

// long reports whether the text has more characters than the limit. It counts characters only if the number of
// bytes does not decide this.
func long(s string, limit int) bool {
	return len(s) > limit && (len(s) > utf8.UTFMax*limit || utf8.RuneCountInString(s) > limit)
}

// halves returns the beginning and the end of a text, which have as many characters together as the limit.
func halves(s string, limit int) (head, tail string) {
	first, last := 0, len(s)
	for range limit - limit/3 {
		_, size := utf8.DecodeRuneInString(s[first:])
		first += size
	}
	for range limit / 3 {
		_, size := utf8.DecodeLastRuneInString(s[:last])
		last -= size
	}
	return s[:first], s[last:]
}
