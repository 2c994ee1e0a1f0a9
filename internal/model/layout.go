package model

import (
	"bytes"
	"strings"
)

// lineWidth is the maximum length, in bytes, of a JSON list or object that is written on one line. Longer ones
// are divided into several lines.
const lineWidth = 76

// A layout formats compact JSON for human readers: short lists and objects stay on one line.
type layout struct {
	in  []byte
	out bytes.Buffer
}

// laidOut formats a JSON text for human readers, and adds a line break at the end. The text must be valid JSON
// without white space between its tokens.
func laidOut(text []byte) []byte {
	l := &layout{in: bytes.TrimSpace(text)}
	l.value(0)
	l.out.WriteByte('\n')
	return l.out.Bytes()
}

// value formats the first JSON value of the remaining input. The parameter depth is the number of enclosing
// lists and objects.
func (l *layout) value(depth int) {
	end := extent(l.in)
	open := l.in[0]
	if open != '[' && open != '{' {
		l.take(end)
		return
	}
	separate := func(depth int) { l.out.WriteString("\n" + strings.Repeat("  ", depth)) }
	if end <= lineWidth {
		separate = func(int) {}
	}
	l.take(1)
	for l.in[0] != ']' && l.in[0] != '}' {
		if l.in[0] == ',' {
			l.take(1)
			if end <= lineWidth {
				l.out.WriteByte(' ')
			}
		}
		separate(depth + 1)
		if open == '{' {
			l.take(extent(l.in) + 1) // the key and its colon
			l.out.WriteByte(' ')
		}
		l.value(depth + 1)
	}
	separate(depth)
	l.take(1)
}

// take copies the next n bytes of the input to the output.
func (l *layout) take(n int) {
	l.out.Write(l.in[:n])
	l.in = l.in[n:]
}

// extent returns the length, in bytes, of the first JSON value of a text without white space.
func extent(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth == 0 {
				return i
			}
			depth--
		case depth == 0 && (c == ',' || c == ':'):
			return i
		}
		if depth == 0 && !quoted && (c == '"' || c == ']' || c == '}') {
			return i + 1
		}
	}
	return len(text)
}
