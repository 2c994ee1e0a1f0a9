package release

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/internal/papers/solver/solvertest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
)

// asking returns a request for a card by the named oracle.
func asking(t *testing.T, oracle string) Request {
	t.Helper()
	epsilon := privacytest.Decimal(t, "1")
	return Request{
		Schema: parseSchema(t), Form: plain, Epsilon: epsilon,
		Mechanism: &mechanisms.RSPM{Perturbing: mechanisms.Perturbing{Oracle: oracle}, Noise: "laplace"},
	}
}

// A missing solver is reported before any data is opened.
func TestMissingSolvers(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("SIBYL_HIGHS", "")
	for _, name := range solvertest.Programs {
		_, err := asking(t, name).Prepare()
		if !errors.Is(err, solver.ErrMissing) {
			t.Fatalf("%s: %v", name, err)
		}
		text := err.Error()
		if want := "--oracle " + name + ": the solver is not installed; install it"; !strings.HasPrefix(text, want) || strings.Contains(text, "\n") {
			t.Error(text)
		}
		if strings.Contains(text, "SIBYL_HIGHS") != (name == "highs") {
			t.Error(text)
		}
	}
}

// If a solver fails on the data, the error reveals nothing else, and no files remain.
func TestFailingSolversReleaseNothing(t *testing.T) {
	data := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(data, []byte("age,town,home,ill\n20,Zug,own,no\n40,Aarau,own,yes\n60,Zug,rent,yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"echo secret; echo secret >&2; exit 1\n", "kill -9 $$\n"} {
		solvertest.Pretend(t, script)
		for _, name := range solvertest.Programs {
			p, err := asking(t, name).Prepare()
			if err != nil {
				t.Fatal(err)
			}
			private := t.TempDir()
			t.Setenv("TMPDIR", private)
			m, err := p.Release(t.Context(), From{Location: data}, Terms{Publish: func(context.Context, [][]byte) error {
				t.Errorf("%s: something is published", name)
				return nil
			}})
			if m != nil || err != ErrWithheld {
				t.Errorf("%s: %v, %v", name, m, err)
			}
			if left, err := os.ReadDir(private); err != nil || len(left) != 0 {
				t.Errorf("%s: the files %v, %v", name, left, err)
			}
		}
	}
}
