package convex

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestLossNames(t *testing.T) {
	for l, name := range map[Loss]string{LogisticLoss: "logistic", HingeLoss: "hinge", SquaredLoss: "squared"} {
		text, err := json.Marshal(l)
		if err != nil || string(text) != `"`+name+`"` {
			t.Errorf("%v is written %s, %v", l, text, err)
		}
		got := Loss(7)
		if err := json.Unmarshal(text, &got); err != nil || got != l {
			t.Errorf("%s is read as %v, %v", text, got, err)
		}
	}
	l := HingeLoss
	if err := json.Unmarshal([]byte(`"zero-one"`), &l); !errors.Is(err, ErrLoss) || l != HingeLoss {
		t.Errorf("zero-one is read as %v, %v", l, err)
	}
	if _, err := Loss(7).MarshalText(); !errors.Is(err, ErrLoss) {
		t.Errorf("%v is written: %v", Loss(7), err)
	}
}
