package release

import (
	"encoding/json"
	"strings"
	"testing"
)

// An entry of a ledger is named by its class and mechanism. Other descriptions are shown as they are.
func TestNameOfEntry(t *testing.T) {
	for description, want := range map[string]string{
		`{"format": "sibyl-model/1", "mechanism": {"name": "exponential"}, "class": {"name": "scorecard"}}`: "scorecard, exponential",
		`{"format": "sibyl-own/1", "mechanism": {"name": "exponential"}, "class": "cutoffs to 9"}`:          "cutoffs to 9, exponential",
		`{"format": "sibyl-estimate/1", "mechanism": {"name": "histogram"}}`:                                "evaluation, histogram",
		`{"format": "sibyl-synthesis/1", "mechanism": {"name": "synth"}, "class": null}`:                    "synth",
		`{"mechanism": "by hand"}`:                         "by hand",
		`{"mechanism": {"kind": 1}, "more": 2}`:            `{"mechanism": {"kind": 1}, "more": 2}`,
		`"a text"`:                                         `"a text"`,
		`{"mechanism": "` + strings.Repeat("ä", 70) + `"}`: strings.Repeat("ä", 60) + "…",
	} {
		if got := NameOfEntry(json.RawMessage(description)); got != want {
			t.Errorf("%s: %q, want %q", description, got, want)
		}
	}
}
