package parameter

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

var errCause = errors.New("the cause")

// field returns what a test calls a parameter in a Go program.
func field(name string) string { return strings.ToUpper(name) }

// An error has one text for the command and one for programs, even if other errors wrap it. Both texts contain
// the same cause.
func TestError(t *testing.T) {
	for _, c := range []struct {
		err                   error
		name, command, fields string
	}{
		{Errorf("{most-rows} %d is outside 1..%d", 7, 3), "most-rows", "--most-rows 7 is outside 1..3", "MOST-ROWS 7 is outside 1..3"},
		{Errorf("{clip} %w", errCause), "clip", "--clip the cause", "CLIP the cause"},
		{Errorf("%s needs {rows}", Text("{sample}")), "rows", "--sample needs --rows", "SAMPLE needs ROWS"},
		{Errorf("%s is 100 %%, %s", "{rows}", Text("")), "", "{rows} is 100 %, ", "{rows} is 100 %, "},
		{Errorf("{mechanism} rspm: %w", Errorf("{noise} %q", "x")), "mechanism", `--mechanism rspm: --noise "x"`, `MECHANISM rspm: NOISE "x"`},
		{Errorf("%w; see above", fmt.Errorf("tree: %w", Errorf("{depth} %w", errCause))), "depth", "tree: --depth the cause; see above", "tree: DEPTH the cause; see above"},
		{About("points", errCause), "points", "the cause", "POINTS: the cause"},
		{About("points", Errorf("{depth} 7")), "depth", "--depth 7", "DEPTH 7"},
	} {
		for _, err := range []error{c.err, fmt.Errorf("outside: %w", c.err)} {
			prefix := strings.TrimSuffix(err.Error(), c.command)
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Name() != c.name || err.Error() != prefix+c.command || Say(err, field) != prefix+c.fields {
				t.Errorf("%v of %q, and %q in a program; want %q, %q and %q", err, e.Name(), Say(err, field), c.command, c.name, c.fields)
			}
			if cause := strings.Contains(c.command, "cause"); errors.Is(err, errCause) != cause {
				t.Errorf("%v wraps the cause: %v", err, !cause)
			}
		}
	}
	if About("points", nil) != nil {
		t.Error("no error is one about a parameter")
	}
	if err := errors.New("other"); Say(err, field) != "other" {
		t.Error("an error without parameters has another text in a program")
	}
}

// A text has one form for the command, also in JSON, and another one wherever parameters have other names.
func TestText(t *testing.T) {
	text := Text("a smaller {most-rows}, or {digits}; {Other} stays")
	written, err := json.Marshal(text)
	if want := "a smaller --most-rows, or --digits; {Other} stays"; text.String() != want || string(written) != `"`+want+`"` || err != nil {
		t.Errorf("%s and %s, %v; want %q", text, written, err, want)
	}
	if got, want := text.Say(field), "a smaller MOST-ROWS, or DIGITS; {Other} stays"; got != want {
		t.Errorf("%q in a program; want %q", got, want)
	}
}
