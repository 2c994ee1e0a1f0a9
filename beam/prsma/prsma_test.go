package prsma

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/beam/prismtest"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/papers/parts"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/table"
)

func TestMain(m *testing.M) { prismtest.Main(m) }

const schema = `
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "a"
values = ["0", "1", "2"]
[[attribute]]
column = "b"
values = ["0", "1", "2", "3"]
[[attribute]]
column = "c"
values = ["0", "1"]
`

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// made generates files of random rows, of which some are null. It returns their paths, and the path of one file with
// all rows.
func made(t *testing.T, random *rand.Rand, rows, files int) (paths []string, whole string) {
	t.Helper()
	lines := make([]strings.Builder, files+1)
	for i := range lines {
		lines[i].WriteString("y,a,b,c\n")
	}
	for range rows {
		a := random.IntN(3)
		y := 0
		if random.IntN(4) < 1+a {
			y = 1
		}
		line := fmt.Sprintf("%d,%d,%d,%d\n", y, a, random.IntN(4)+random.IntN(30)/29, random.IntN(2))
		lines[random.IntN(files)].WriteString(line)
		lines[files].WriteString(line)
	}
	directory := t.TempDir()
	for i := range lines {
		path := filepath.Join(directory, fmt.Sprintf("part%d.csv", i))
		must(t, os.WriteFile(path, []byte(lines[i].String()), 0o600))
		paths = append(paths, path)
	}
	return paths[:files], paths[files]
}

// prepare prepares a release by prsma from the given number of rows.
func prepare(t *testing.T, rows int64, seed uint64, nodes int64) *release.Prepared {
	t.Helper()
	s, err := table.ParseSchema("s.toml", strings.NewReader(schema))
	must(t, err)
	zero := privacytest.Decimal(t, "0")
	m := &mechanisms.PRSMA{Noise: "cube", Calls: 300, Nodes: nodes}
	m.Oracle = "search"
	form := model.Scorecard{Points: model.Points{Least: -1, Most: 1}, Threshold: 1}
	p, err := release.Request{
		Schema: s, Form: form, Mechanism: m,
		Epsilon: privacytest.Decimal(t, "3"), Delta: privacytest.Decimal(t, "0.05"), Risk: &zero, Rows: rows, Seed: &seed,
	}.Prepare()
	must(t, err)
	return p
}

// text returns the released model as text, or the error if nothing was released.
func text(t *testing.T, m *model.Model, err error) string {
	t.Helper()
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	must(t, m.Write(&b))
	return b.String()
}

// TestSame checks that a release by a pipeline equals the release in memory with the same random source, byte for byte.
// This includes releases of ⊥, and does not depend on how the rows are distributed among files. Afterwards the file of
// answers does not exist.
func TestSame(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	said := map[string]bool{}
	for seed, rows := range []int{9000, 9000, 20_000, 9000} {
		paths, whole := made(t, random, rows, 1+random.IntN(3))
		nodes := int64(1_000_000)
		if seed == 3 {
			nodes = 2 // too few, so that the oracle fails
		}
		p := prepare(t, int64(rows), uint64(seed), nodes)
		answers := filepath.Join(t.TempDir(), "answers")
		here, err := p.Release(context.Background(), release.From{Location: whole}, release.Terms{})
		want := text(t, here, err)
		there, err := parts.Release(context.Background(), p, release.Terms{}, Solve(paths, answers, prismtest.Run))
		if got := text(t, there, err); got != want {
			t.Errorf("seed %d: %s, not %s", seed, got, want)
		}
		if _, err := os.Stat(answers); err == nil {
			t.Error("the file of answers is there still")
		}
		said[want] = true
	}
	if len(said) < 3 || !said[release.ErrNothing.Error()] {
		t.Errorf("%d releases are too few to tell anything", len(said))
	}
}

// TestNulls checks that parts without records are solved too: if all rows are null, the release equals that in memory.
func TestNulls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nulls.csv")
	must(t, os.WriteFile(path, []byte("y,a,b,c\n"+strings.Repeat("0,7,7,7\n", 900)), 0o600))
	for seed := range uint64(2) {
		p := prepare(t, 900, seed, 1_000_000)
		here, err := p.Release(context.Background(), release.From{Location: path}, release.Terms{})
		want := text(t, here, err)
		there, err := parts.Release(context.Background(), p, release.Terms{}, Solve([]string{path}, filepath.Join(t.TempDir(), "answers"), prismtest.Run))
		if got := text(t, there, err); got != want {
			t.Errorf("seed %d: %s, not %s", seed, got, want)
		}
	}
}

// TestRefused checks that malformed data is refused with the same errors as by a release in memory.
func TestRefused(t *testing.T) {
	paths, whole := made(t, rand.New(rand.NewPCG(1, 2)), 900, 2)
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("b.csv", []byte("y,a,b,c\n0,0,0,0\n0,1,1,1,1\n"), 0o600))
	for _, c := range []struct {
		rows  int64
		files []string
		want  string
	}{
		{901, paths, "--rows is 901, but the data has 900 rows, including those with values outside the schema; state that number"},
		{900, append(slices.Clone(paths), "b.csv"), "b.csv:3: the record has 5 fields instead of 4; remove the surplus fields, or quote the fields that contain the delimiter"},
		{900, append(slices.Clone(paths), "none.csv"), "none.csv: the file cannot be read: no such file or directory"},
	} {
		p := prepare(t, c.rows, 1, 1000)
		if len(c.files) == 2 {
			_, err := p.Release(context.Background(), release.From{Location: whole}, release.Terms{})
			if fmt.Sprint(err) != c.want {
				t.Errorf("sibyl says %v, not %s", err, c.want)
			}
		}
		_, err := parts.Release(context.Background(), p, release.Terms{}, Solve(c.files, "answers", prismtest.Run))
		if fmt.Sprint(err) != c.want {
			t.Errorf("%v, not %s", err, c.want)
		}
	}
}

// TestFails checks that the error reveals no details if the runner fails or the file of answers is missing.
func TestFails(t *testing.T) {
	paths, _ := made(t, rand.New(rand.NewPCG(1, 2)), 900, 2)
	p := prepare(t, 900, 1, 1000)
	for _, failure := range []error{errors.New("secret"), nil} {
		run := func(context.Context, *beam.Pipeline) error { return failure }
		_, err := parts.Release(context.Background(), p, release.Terms{}, Solve(paths, filepath.Join(t.TempDir(), "answers"), run))
		if w := (release.Withheld{}); !errors.As(err, &w) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v", err)
		}
	}
}

// died is the value of the panic of a simulated worker that dies.
type died struct{}

// bundle simulates how a runner runs a bundle on workers that may die. It calls f, which panics at random points, until
// a call succeeds, and returns what this call emitted.
func bundle[T any](t *testing.T, random *rand.Rand, f func(emit func(int, T)) error) (emitted map[int][]T) {
	t.Helper()
	for {
		emitted = map[int][]T{}
		life := random.IntN(40)
		err := func() (err error) {
			defer func() {
				if r := recover(); r == (died{}) {
					err = errors.New("died")
				} else if r != nil {
					panic(r)
				}
			}()
			return f(func(key int, value T) {
				emitted[key] = append(emitted[key], value)
				if life--; life == 0 {
					panic(died{})
				}
			})
		}()
		if err == nil {
			return emitted
		}
		if err.Error() != "died" {
			t.Fatal(err)
		}
	}
}

// over returns an iterator over values in random order.
func over[T any](random *rand.Rand, values []T) func(*T) bool {
	order := random.Perm(len(values))
	return func(to *T) bool {
		if len(order) == 0 {
			return false
		}
		*to, order = values[order[0]], order[1:]
		return true
	}
}

// add appends the emitted values to those in to, by key.
func add[T any](to, emitted map[int][]T) {
	for key, values := range emitted {
		to[key] = append(to[key], values...)
	}
}

// TestRetried runs the functions of the pipeline like a runner whose workers die: bundles are run again by new workers
// until they succeed, their outputs arrive in random order, and the file is written twice. The release equals that in
// memory.
func TestRetried(t *testing.T) {
	old := cells.TallyRows
	cells.TallyRows = 500
	defer func() { cells.TallyRows = old }()
	ctx := context.Background()
	random := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(2) {
		rows := 9000 + random.IntN(100)
		paths, whole := made(t, random, rows, 3)
		p := prepare(t, int64(rows), seed, 1_000_000)
		here, err := p.Release(ctx, release.From{Location: whole}, release.Terms{})
		want := text(t, here, err)
		there, err := parts.Release(ctx, p, release.Terms{}, func(ctx context.Context, task parts.Task) (*parts.Solved, error) {
			return retried(ctx, t, random, paths, task)
		})
		if got := text(t, there, err); got != want {
			t.Errorf("seed %d: %s, not %s", seed, got, want)
		}
	}
}

// retried solves the parts of a task on workers that die (see TestRetried).
func retried(ctx context.Context, t *testing.T, random *rand.Rand, paths []string, task parts.Task) (*parts.Solved, error) {
	told, err := taskOf(task)
	must(t, err)
	worker := func() Task {
		w := told
		must(t, w.Setup())
		return w
	}
	groups := map[int][][]byte{}
	nothing(nil, func(group int, text []byte) { groups[group] = append(groups[group], text) })
	for _, path := range paths {
		add(groups, bundle(t, random, func(emit func(int, []byte)) error {
			return (&counter{worker()}).ProcessElement(ctx, path, emit)
		}))
	}
	var totals []Total
	for group, texts := range groups {
		rows := int64(0)
		for _, text := range texts {
			_, of := rowsOf(group, text)
			rows = sum(rows, of)
		}
		totals = append(totals, pack(group, rows))
	}
	var parts map[int][][]byte
	var found []Found
	sizes := bundle(t, random, func(emit func(int, []byte)) error {
		parts, found = map[int][][]byte{}, nil
		empty := func(part int, text []byte) { parts[part] = append(parts[part], text) }
		return (&divider{worker()}).ProcessElement(0, over(random, totals), emit, empty, func(f Found) { found = append(found, f) })
	})
	for group, texts := range groups {
		add(parts, bundle(t, random, func(emit func(int, []byte)) error {
			return (&assigner{worker()}).ProcessElement(group, over(random, texts), over(random, sizes[group]), emit)
		}))
	}
	for part, texts := range parts {
		for range 2 { // the result of the first call is dropped, as if the worker had died after it
			got := bundle(t, random, func(emit func(int, Found)) error {
				return (&solver{worker()}).ProcessElement(ctx, part, over(random, texts), func(f Found) { emit(0, f) })
			})
			if found = slices.DeleteFunc(found, func(f Found) bool { return f.Part == part }); len(got[0]) != 1 {
				t.Fatal("not one answer of a part")
			}
			found = append(found, got[0]...)
		}
	}
	c := &collector{Seal: newSeal(), Out: filepath.Join(t.TempDir(), "answers")}
	for range 2 {
		must(t, c.ProcessElement(ctx, 0, over(random, found)))
	}
	written, err := os.ReadFile(c.Out)
	must(t, err)
	if bytes.Contains(written, []byte("Rows")) || bytes.Contains(written, []byte("points")) {
		t.Error("answers are written in clear")
	}
	if _, err := newSeal().Open(ctx, c.Out); err == nil {
		t.Error("any seal opens the file")
	}
	return c.Seal.Open(ctx, c.Out)
}
