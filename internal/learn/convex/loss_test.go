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

// No loss is steeper than G or spreads further than stated, at margins within reach.
func TestLossConstants(t *testing.T) {
	losses(t, func(t *testing.T, l Loss) {
		for _, reach := range []int64{1, 3, 40} {
			const h = 1.0 / 64
			low, high, steepest := l.at(float64(reach)), l.at(-float64(reach)), 0.0
			for m := -float64(reach); m < float64(reach); m += h {
				steepest = max(steepest, (l.at(m)-l.at(m+h))/h, (l.at(m+h)-l.at(m))/h)
				low, high = min(low, l.at(m)), max(high, l.at(m))
			}
			if g := float64(l.lipschitz(reach)); steepest > g+1e-9 || reach == 40 && steepest < 0.99*g {
				t.Errorf("slope %v within %d, G = %v", steepest, reach, g)
			}
			if s := l.spread(float64(reach)); high-low > s+1e-9 || high-low < s-1e-9 {
				t.Errorf("spread %v within %d, not %v", high-low, reach, s)
			}
		}
	})
}
