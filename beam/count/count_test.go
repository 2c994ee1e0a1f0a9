package count

import (
	"bytes"
	"context"
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
	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

func TestMain(m *testing.M) { prismtest.Main(m) }

// run runs a job with Beam's own runner, prism.
func run(j Job) error {
	p, s := beam.NewPipelineWithRoot()
	if err := j.Build(s); err != nil {
		return err
	}
	return prismtest.Run(context.Background(), p)
}

// visits generates a random schema, and several files of random rows. Among them are null rows, rows without a person
// and equal rows. It returns the schema, the paths of these files, and the path of one file with all rows.
func visits(t *testing.T, random *rand.Rand, rows, files int) (s *table.Schema, paths []string, whole string) {
	attributes := 1 + random.IntN(4)
	text := "[label]\ncolumn = \"y\"\nvalues = [\"0\", \"1\", \"2\"]\n"
	if random.IntN(2) == 0 {
		text += fmt.Sprintf("[person]\ncolumn = \"p\"\nmost = %d\n", 1+random.IntN(4))
	}
	header := "p,y"
	for j := range attributes {
		text += fmt.Sprintf("[[attribute]]\ncolumn = \"a%d\"\nvalues = [\"0\", \"1\", \"2\"]\n", j)
		header += fmt.Sprintf(",a%d", j)
	}
	s = tabletest.Schema(t, text)
	directory := t.TempDir()
	lines := make([][]string, files+1)
	for range rows {
		line := fmt.Sprint(random.IntN(rows/3 + 1)) // the person; "0" stands for a row without a person
		line = strings.TrimPrefix(line, "0")
		line += fmt.Sprintf(",%d", random.IntN(3))
		for range attributes {
			line += fmt.Sprintf(",%d", random.IntN(3)+random.IntN(20)/19)
		}
		f := random.IntN(files)
		lines[f] = append(lines[f], line)
		lines[files] = append(lines[files], line)
	}
	for f := range lines {
		path := filepath.Join(directory, fmt.Sprintf("part%d.csv", f))
		if err := os.WriteFile(path, []byte(strings.Join(append([]string{header}, lines[f]...), "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return s, paths[:files], paths[files]
}

// want returns the file of counts that package source computes in memory.
func want(t *testing.T, path string, s *table.Schema, lists [][]int) []byte {
	t.Helper()
	whole, err := source.Read(context.Background(), path, s, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := source.WriteCounts(context.Background(), &b, s, whole, lists); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func lists(t *testing.T, s *table.Schema, order int) [][]int {
	t.Helper()
	l, err := source.Lists(s, order)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestPipeline checks that the file of counts of a pipeline equals the one that is computed in memory, bit for bit.
func TestPipeline(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 6 {
		s, paths, whole := visits(t, random, n*40, 1+random.IntN(3))
		j := Job{Files: paths, Schema: s, Lists: lists(t, s, 1+random.IntN(3)), Out: filepath.Join(t.TempDir(), "c.parquet")}
		if err := run(j); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, j.Out), want(t, whole, s, j.Lists)) {
			t.Errorf("%d rows in %d files: other counts", n*40, len(paths))
		}
		if info, err := os.Stat(j.Out); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file may be read by others: %v", info.Mode())
		}
	}
}

// TestAdult counts the data set Adult, whose two files have an unusual format.
func TestAdult(t *testing.T) {
	paths := []string{shareddata.Path(t, "adult", "adult.data"), shareddata.Path(t, "adult", "adult.test")}
	file, err := os.Open(shareddata.Path(t, "adult", "adult-14.toml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := table.ParseSchema("adult-14.toml", file)
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "adult.csv")
	if err := os.WriteFile(whole, slices.Concat(read(t, paths[0]), read(t, paths[1])), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, order := range []int{2, 14} {
		j := Job{Files: paths, Schema: s, Lists: lists(t, s, order), Out: filepath.Join(t.TempDir(), "c.parquet")}
		if err := run(j); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, j.Out), want(t, whole, s, j.Lists)) {
			t.Errorf("order %d: other counts", order)
		}
	}
}

// TestMalformed checks that the error for a malformed row is that of the library, with file and line, and that no file
// is written.
func TestMalformed(t *testing.T) {
	for _, person := range []string{"", "[person]\ncolumn = \"p\"\nmost = 2\n"} {
		s := tabletest.Schema(t, person+"[[attribute]]\ncolumn = \"a\"\nvalues = [\"0\"]")
		t.Chdir(t.TempDir())
		for path, text := range map[string]string{"a.csv": "p,a\n1,0\n", "b.csv": "p,a\n1,0\n2,0,0\n"} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct{ path, want string }{
			{"b.csv", "b.csv:3: the record has 3 fields instead of 2; remove the surplus fields, or quote the fields that contain the delimiter"},
			{"c.csv", "c.csv: the file cannot be read: no such file or directory"},
		} {
			err := run(Job{Files: []string{"a.csv", c.path}, Schema: s, Lists: [][]int{{0}}, Out: "c.parquet"})
			if err == nil {
				t.Fatal("counted")
			}
			if said, ok := rows.Sentence(err); !ok || said != c.want {
				t.Errorf("%q, not %q, of %v", said, c.want, err)
			}
			if _, err := os.Stat("c.parquet"); err == nil {
				t.Error("a file is written")
			}
		}
	}
}

// died is the value of the panic of a simulated worker that dies.
type died struct{}

// bundle simulates how a runner runs a bundle on workers that may die. It calls f, which panics at random points, until
// a call succeeds. It returns what this call emitted, and drops what failed calls emitted.
func bundle(t *testing.T, random *rand.Rand, f func(emit func(int, []byte), maybeDie func()) error) (groups []Group) {
	t.Helper()
	for {
		groups = nil
		life := random.IntN(40)
		die := func() {
			if life--; life == 0 {
				panic(died{})
			}
		}
		err := func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					if r != (died{}) {
						panic(r)
					}
					err = fmt.Errorf("died")
				}
			}()
			return f(func(group int, cells []byte) {
				groups = append(groups, Group{group, cells})
				die()
			}, die)
		}()
		if err == nil {
			return groups
		}
		if err.Error() != "died" {
			t.Fatal(err)
		}
	}
}

// TestRetried runs the functions of the pipeline like a runner whose workers die: bundles are run again, groups are
// merged in random order, and the file is written twice. The runner of TestPipeline, prism, does not run failed
// bundles again.
func TestRetried(t *testing.T) {
	oldRows, oldBytes := cells.TallyRows, chunkBytes
	cells.TallyRows, chunkBytes = 7, 30
	defer func() { cells.TallyRows, chunkBytes = oldRows, oldBytes }()
	ctx := context.Background()
	random := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		s, paths, whole := visits(t, random, 3*random.IntN(50), 1+random.IntN(3))
		text, err := s.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		task := Task{Schema: string(text), Lists: lists(t, s, 1+random.IntN(3))}
		var sent []Group
		nothing(nil, func(group int, text []byte) { sent = append(sent, Group{group, text}) })
		if s.Person == nil {
			counter := &rowCounter{Task: task}
			must(t, counter.Setup())
			for _, path := range paths {
				sent = append(sent, bundle(t, random, func(emit func(int, []byte), _ func()) error {
					return counter.ProcessElement(ctx, path, emit)
				})...)
			}
		} else {
			reader := &rowReader{Task: task}
			must(t, reader.Setup())
			chunks := map[int][][]byte{}
			for _, path := range paths {
				for _, g := range bundle(t, random, func(emit func(int, []byte), _ func()) error {
					return reader.ProcessElement(ctx, path, emit)
				}) {
					chunks[g.Number] = append(chunks[g.Number], g.Cells)
				}
			}
			sent = append(sent, persons(t, random, task, chunks)...)
		}
		w := &writer{Task: task, Out: filepath.Join(t.TempDir(), "c.parquet")}
		groups := merged(t, random, sent)
		for range 2 {
			random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
			rest := groups
			must(t, w.ProcessElement(ctx, 0, func(g *Group) bool {
				if len(rest) == 0 {
					return false
				}
				*g, rest = rest[0], rest[1:]
				return true
			}))
			if !bytes.Equal(read(t, w.Out), want(t, whole, s, task.Lists)) {
				t.Fatal("other counts")
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// persons counts the rows of all parts of the persons, in bundles of several parts.
func persons(t *testing.T, random *rand.Rand, task Task, chunks map[int][][]byte) (sent []Group) {
	t.Helper()
	ctx := context.Background()
	counter := &personCounter{Task: task}
	must(t, counter.Setup())
	var parts []int
	for part := range chunks {
		parts = append(parts, part)
	}
	slices.Sort(parts)
	for len(parts) > 0 {
		n := 1 + random.IntN(len(parts))
		sent = append(sent, bundle(t, random, func(emit func(int, []byte), die func()) error {
			if err := counter.StartBundle(ctx, emit); err != nil {
				return err
			}
			for _, part := range parts[:n] {
				die()
				order := random.Perm(len(chunks[part]))
				err := counter.ProcessElement(ctx, part, func(chunk *[]byte) bool {
					if len(order) == 0 {
						return false
					}
					*chunk, order = chunks[part][order[0]], order[1:]
					return true
				}, emit)
				if err != nil {
					return err
				}
			}
			return counter.FinishBundle(ctx, emit)
		})...)
		parts = parts[n:]
	}
	return sent
}

// merged merges the texts of each group, two at a time in random order.
func merged(t *testing.T, random *rand.Rand, sent []Group) (groups []Group) {
	t.Helper()
	texts := map[int][][]byte{}
	for _, g := range sent {
		texts[g.Number] = append(texts[g.Number], g.Cells)
	}
	for number, all := range texts {
		for len(all) > 1 {
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			sum, err := cells.Merge(all[0], all[1])
			must(t, err)
			all = append(all[2:], sum)
		}
		groups = append(groups, Group{number, all[0]})
	}
	return groups
}
