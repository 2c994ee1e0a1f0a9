package explicit_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/explicit"
)

func TestPenaltiesBeyondTheRange(t *testing.T) {
	c, err := explicit.New([]explicit.Hypothesis[int]{hypothesis(0), hypothesis(1 << 30), hypothesis(7)}, explicit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	classtest.Penalties(t, c)
}
