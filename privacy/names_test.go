package privacy

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestRelationText(t *testing.T) {
	text, err := json.Marshal([]Relation{ReplaceOne, AddRemove})
	if want := `["replace","add-remove"]`; err != nil || string(text) != want {
		t.Errorf("marshalled to %s, %v; want %s", text, err, want)
	}
	var back []Relation
	if err := json.Unmarshal(text, &back); err != nil || back[0] != ReplaceOne || back[1] != AddRemove {
		t.Errorf("unmarshalled to %v, %v", back, err)
	}
	if _, err := json.Marshal(Relation(0)); !errors.Is(err, ErrRelation) {
		t.Errorf("the zero relation marshalled: %v", err)
	}
	r := AddRemove
	for _, s := range []string{"", "Replace", "addremove", "Relation(0)"} {
		if err := r.UnmarshalText([]byte(s)); !errors.Is(err, ErrRelation) || r != AddRemove {
			t.Errorf("%q gave %v, %v", s, r, err)
		}
	}
}

func TestAssumptionText(t *testing.T) {
	for _, a := range []Assumption{ExactOracle, FloatBound} {
		text, err := a.MarshalText()
		var back Assumption
		if err != nil || back.UnmarshalText(text) != nil || back != a || a.Text() == "" {
			t.Errorf("%q does not survive a round trip", a)
		}
	}
	unknown := Assumption("faith")
	if _, err := unknown.MarshalText(); !errors.Is(err, ErrAssumption) {
		t.Errorf("an unknown assumption marshalled: %v", err)
	}
	a := ExactOracle
	if err := a.UnmarshalText([]byte("faith")); !errors.Is(err, ErrAssumption) || a != ExactOracle {
		t.Errorf("an unknown assumption was read: %v, %v", a, err)
	}
}
