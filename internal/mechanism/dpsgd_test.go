package mechanism

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
)

// Parameters of a descent that are 0 get their usual values, and parameters outside their range are
// refused.
func TestDescentParameters(t *testing.T) {
	for says, m := range map[string]DPSGD{
		"":                {},
		"steps 1":         {Steps: 1},
		"most steps":      {Steps: convex.MostSteps},
		"{steps} -1":      {Steps: -1},
		"{steps} beyond":  {Steps: convex.MostSteps + 1},
		"{share} 0":       {Share: "0"},
		"{share} above 1": {Share: "1.5"},
		"{clip} 0":        {Clip: "0"},
		"{clip} no":       {Clip: "x"},
		"{learning-rate}": {Rate: -1},
	} {
		if m.Clip == "" {
			m.Clip = "0.5"
		}
		if m.Share == "" {
			m.Share = "0.25"
		}
		o, err := m.descent(1000)
		name, refused := strings.CutPrefix(says, "{")
		name, _, _ = strings.Cut(name, "}")
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", says, err)
		}
		if !refused && (o.Batch != 250 || o.Steps < 1 || m.Steps > 0 && o.Steps != m.Steps || o.Rate != 1) {
			t.Errorf("%s: %+v", says, o)
		}
	}
}
