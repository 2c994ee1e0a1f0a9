package mechanism

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism/mechanismtest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A model of an earlier version states the number of groups of attributes that share a weight, up to ten, instead of a
// number of vectors. Other numbers are refused.
func TestWeightedOfBefore(t *testing.T) {
	s := &Setting{Schema: mechanismtest.Schema(t), Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.AddRemove}
	most := min(10, len(s.Schema.Attributes))
	for _, c := range []struct {
		vectors, groups int
		read            bool
	}{{4096, 0, true}, {0, 1, true}, {0, most, true}, {0, 0, false}, {4097, 0, false}, {1, 1, false}, {0, most + 1, false}, {0, -1, false}} {
		j := &weightedJSON{Counts: privacytest.Decimal(t, "0.5"), Vectors: c.vectors, Groups: c.groups}
		r, err := weightedOf(s, j, 4)
		if read := err == nil; read != c.read {
			t.Errorf("%+v: %v", c, err)
		} else if read {
			if of := r.Record.(weightedJSON); of.Vectors != c.vectors || of.Groups != c.groups || of.Rate != "1/2000" || of.CountRate == "" {
				t.Errorf("%+v is read as %+v", c, of)
			}
			if r.Guarantee.(privacy.Pure).Epsilon() != s.Epsilon {
				t.Errorf("%+v: %v", c, r.Guarantee)
			}
		}
	}
}
