package source_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
	_ "github.com/sibyl-dp/sibyl/internal/testing/memoryfiles"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
)

// drawn returns a schema of a few small attributes, and a table of random rows, some of them null.
func drawn(t *testing.T, random *rand.Rand, rows int) (*table.Schema, *table.Table) {
	text := "[label]\ncolumn = \"y\"\nvalues = [\"0\", \"1\", \"2\"]\n"
	if random.IntN(3) == 0 {
		text = "" // no label
	}
	if random.IntN(2) == 0 {
		text += "[person]\ncolumn = \"p\"\nmost = 3\n"
	}
	for j := range 1 + random.IntN(5) {
		text += fmt.Sprintf("[[attribute]]\ncolumn = \"a%d\"\nvalues = [", j)
		for v := range 1 + random.IntN(5) {
			text += fmt.Sprintf("\"%d\", ", v)
		}
		text += "]\n"
	}
	s := tabletest.Schema(t, text)
	b := s.Builder()
	weight := s.Weight()
	for range rows {
		r := make(table.Record, len(s.Attributes))
		for j, size := range s.Sizes() {
			r[j] = uint16(random.IntN(size))
		}
		outcome := 0
		if s.Label != nil {
			outcome = random.IntN(3)
		}
		var err error
		if random.IntN(5) == 0 {
			err = b.AddNull(weight)
		} else {
			err = b.AddOutcome(r, outcome, weight)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s, b.Table()
}

func writeCounts(t *testing.T, path string, s *table.Schema, c table.Counts, lists [][]int) {
	t.Helper()
	var b bytes.Buffer
	if err := source.WriteCounts(context.Background(), &b, s, c, lists); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCounted compares the answers of files of counts of every order with those of tables.
func TestCounted(t *testing.T) {
	inDirectory(t)
	ctx := context.Background()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range heavy.Pick(30, 60) {
		s, want := drawn(t, random, n%30)
		attributes := len(s.Attributes)
		for order := 1; order <= attributes; order++ {
			lists, err := source.Lists(s, order)
			if err != nil {
				t.Fatal(err)
			}
			writeCounts(t, "c.parquet", s, want, lists)
			got, done, err := source.Counts(ctx, "c.parquet", s, table.Queries{}, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if order == attributes {
				tabletest.Agree(t, got, want, 20, uint64(n))
				whole, err := source.Read(ctx, "c.parquet", s, source.Options{})
				if err != nil || !whole.Equal(want) {
					t.Fatalf("another table is read: %v", err)
				}
			}
			sameAnswers(t, got, want, order, random)
			done()
		}
	}
}

// sameAnswers compares the answers of two sources: marginals of up to order attributes with and without
// the outcome, in any order of axes, and conjunctions and totals on them. It also checks that got
// refuses larger queries.
func sameAnswers(t *testing.T, got, want table.Counts, order int, random *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	if got.Rows() != want.Rows() || got.Nulls() != want.Nulls() || got.Weight() != want.Weight() || got.Outcomes() != want.Outcomes() {
		t.Fatalf("%d rows, %d units null of weight %d", got.Rows(), got.Nulls(), got.Weight())
	}
	attributes := len(want.Sizes())
	sizes := append(slices.Clone(want.Sizes()), want.Outcomes())
	var of [][]table.Axis
	var axes []table.Axis
	var terms [][]table.Term
	for range 10 {
		chosen := random.Perm(attributes)[:random.IntN(order+1)]
		if len(chosen) == 0 || random.IntN(2) == 0 {
			chosen = slices.Insert(chosen, random.IntN(len(chosen)+1), attributes)
		}
		var own []table.Axis
		var all []table.Term
		for _, j := range chosen {
			own = append(own, table.Axis{Column: j, Size: sizes[j]})
			all = append(all, table.Term{Axis: len(axes), Cell: uint16(random.IntN(sizes[j]))})
			axes = append(axes, own[len(own)-1])
		}
		of, terms = append(of, own), append(terms, all)
	}
	x, err := got.Marginals(ctx, of)
	if err != nil {
		t.Fatal(err)
	}
	y, err := want.Marginals(ctx, of)
	if err != nil || !reflect.DeepEqual(x, y) {
		t.Fatalf("%v, not %v: %v", x, y, err)
	}
	a, err := got.Supports(ctx, axes, terms)
	if err != nil {
		t.Fatal(err)
	}
	b, err := want.Supports(ctx, axes, terms)
	if err != nil || !slices.Equal(a, b) {
		t.Fatalf("%v, not %v: %v", a, b, err)
	}
	for range 5 {
		card := cardOn(random.Perm(attributes)[:random.IntN(order+1)], want.Sizes(), random)
		x, err := got.Totals(ctx, card)
		if err != nil {
			t.Fatal(err)
		}
		y, err := want.Totals(ctx, card)
		if err != nil || !reflect.DeepEqual(x, y) {
			t.Fatalf("totals of %v: %v, not %v: %v", card, x, y, err)
		}
	}
	if order == attributes {
		return
	}
	var more []table.Axis
	var all []table.Term
	for j := range order + 1 {
		more = append(more, table.Axis{Column: j, Size: sizes[j]})
		all = append(all, table.Term{Axis: j})
	}
	if _, err := got.Marginals(ctx, [][]table.Axis{more}); err == nil {
		t.Error("a sub-table is told that is not in the file")
	}
	if _, err := got.Supports(ctx, more, [][]table.Term{all}); err == nil {
		t.Error("a conjunction is told that is not in the file")
	}
	if _, err := got.Totals(ctx, cardOn(random.Perm(attributes)[:order+1], want.Sizes(), random)); err == nil {
		t.Error("totals are told that are not in the file")
	}
}

// cardOn returns a card with points for these attributes and none for others.
func cardOn(chosen []int, sizes []int, random *rand.Rand) (c table.Card) {
	for j, size := range sizes {
		points := make([]int64, size)
		if slices.Contains(chosen, j) {
			points[random.IntN(size)] = 1 + random.Int64N(3)
			points[random.IntN(size)]--
			points[0] += 5
		}
		c.Points = append(c.Points, points)
	}
	return c
}

// TestCountedPersons checks that contributions of persons are bounded before rows are counted.
func TestCountedPersons(t *testing.T) {
	inDirectory(t)
	s := staysOf(t, 3)
	want := readStays(t, s, stays(50, rand.New(rand.NewPCG(3, 4))))
	writeCounts(t, "c.parquet", s, want, [][]int{{0, 1}})
	got, err := source.Read(context.Background(), "c.parquet", s, source.Options{})
	if err != nil || !got.Equal(want) {
		t.Errorf("another table is read: %v", err)
	}
}

// A cell is a row of a file of counts for two attributes.
type cell struct {
	List    int64  `parquet:"list"`
	Code1   *int64 `parquet:"code_1"`
	Code2   *int64 `parquet:"code_2"`
	Outcome int64  `parquet:"outcome"`
	Count   int64  `parquet:"count"`
}

const pairSchema = `
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "a"
values = ["x", "y"]
[[attribute]]
column = "b"
values = ["x", "y", "z"]
`

func at(list, a, b, outcome, count int64) cell { return cell{list, &a, &b, outcome, count} }

// TestCountedRefused checks the errors for malformed files of counts.
func TestCountedRefused(t *testing.T) {
	inDirectory(t)
	ctx := context.Background()
	s := tabletest.Schema(t, pairSchema)
	header := func(change func(map[string]any)) string {
		h := map[string]any{"format": "sibyl-counts/1", "schema": s.Digest(), "rows": 10, "nulls": 2, "weight": 1, "lists": [][]int{{0, 1}, {1}}}
		change(h)
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	same := func(map[string]any) {}
	one := func(list, a, outcome, count int64) cell {
		return cell{List: list, Code1: &a, Outcome: outcome, Count: count}
	}
	sound := []cell{at(0, 0, 1, 0, 3), at(0, 0, 1, 1, 1), at(0, 1, 0, 0, 4), one(1, 0, 0, 4), one(1, 1, 0, 3), one(1, 1, 1, 1)}
	const damaged = "c.parquet: the counts are damaged; count the data again"
	read := func(header string, cells []cell) error {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[cell](&b, parquet.KeyValueMetadata("sibyl-counts", header))
		if _, err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("c.parquet", b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := source.Counts(ctx, "c.parquet", s, table.Queries{}, source.Options{})
		return err
	}
	if err := read(header(same), sound); err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]struct {
		header string
		want   string
	}{
		"no JSON":        {"{", damaged},
		"another key":    {header(func(h map[string]any) { h["more"] = 1 }), damaged},
		"another format": {header(func(h map[string]any) { h["format"] = "sibyl-counts/2" }), `c.parquet: the format of these counts is "sibyl-counts/2", and this program reads sibyl-counts/1; count the data again`},
		"another schema": {header(func(h map[string]any) { h["schema"] = "00" }), "c.parquet: the counts were made with another schema, or the command needs the rows; name that schema, or the file of the data"},
		"rows":           {header(func(h map[string]any) { h["rows"] = 9 }), damaged},
		"negative rows":  {header(func(h map[string]any) { h["rows"] = -1 }), damaged},
		"nulls":          {header(func(h map[string]any) { h["nulls"] = 1 }), damaged},
		"more nulls":     {header(func(h map[string]any) { h["nulls"] = 11 }), damaged},
		"weight":         {header(func(h map[string]any) { h["weight"], h["rows"] = 2, 5 }), damaged},
		"no lists":       {header(func(h map[string]any) { h["lists"] = [][]int{} }), damaged},
		"another list":   {header(func(h map[string]any) { h["lists"] = [][]int{{0, 1}, {1}, {0}} }), damaged},
		"no attribute":   {header(func(h map[string]any) { h["lists"] = [][]int{{0, 2}, {1}} }), damaged},
		"no order":       {header(func(h map[string]any) { h["lists"] = [][]int{{1, 0}, {1}} }), damaged},
		"twice":          {header(func(h map[string]any) { h["lists"] = [][]int{{0, 0}, {1}} }), damaged},
		"three columns":  {header(func(h map[string]any) { h["lists"] = [][]int{{0, 1, 2}, {1}} }), damaged},
	} {
		if err := read(h.header, sound); err == nil || err.Error() != h.want {
			t.Errorf("%s: got %v, want %s", name, err, h.want)
		}
	}
	for name, change := range map[string]func(cells []cell) []cell{
		"none":           func([]cell) []cell { return nil },
		"one too few":    func(c []cell) []cell { return c[1:] },
		"one less":       func(c []cell) []cell { c[5].Count = 2; return c },
		"other order":    func(c []cell) []cell { c[0], c[1] = c[1], c[0]; return c },
		"other lists":    func(c []cell) []cell { return slices.Concat(c[3:], c[:3]) },
		"twice":          func(c []cell) []cell { c[0].Count = 1; return slices.Concat(c[:1], []cell{at(0, 0, 1, 0, 2)}, c[1:]) },
		"no list":        func(c []cell) []cell { c[5].List = 2; return c },
		"negative list":  func(c []cell) []cell { c[0].List = -1; return c },
		"no code":        func(c []cell) []cell { c[0].Code2 = nil; return c },
		"another code":   func(c []cell) []cell { c[3] = at(1, 0, 0, 0, 4); return c },
		"outside":        func(c []cell) []cell { c[1] = at(0, 0, 3, 1, 1); return c },
		"negative code":  func(c []cell) []cell { c[0] = at(0, -1, 1, 0, 3); return c },
		"wrapped code":   func(c []cell) []cell { c[0] = at(0, 65536, 1, 0, 3); return c },
		"no outcome":     func(c []cell) []cell { c[1].Outcome = 2; return c },
		"none counted":   func(c []cell) []cell { return slices.Insert(c, 2, at(0, 0, 2, 0, 0)) },
		"negative count": func(c []cell) []cell { return slices.Insert(c, 2, at(0, 0, 2, 0, 1), at(0, 0, 2, 1, -1)) },
		"wrapped sum":    func(c []cell) []cell { c[0].Count, c[1].Count, c[2].Count = 1<<62, 1<<62, 1<<62; return c },
	} {
		if err := read(header(same), change(slices.Clone(sound))); err == nil || err.Error() != damaged {
			t.Errorf("%s: got %v, want %s", name, err, damaged)
		}
	}
}

// TestCountedReady checks that Ready refuses a file of counts that does not match the schema or the
// query.
func TestCountedReady(t *testing.T) {
	inDirectory(t)
	ctx := context.Background()
	s := tabletest.Schema(t, pairSchema)
	b := s.Builder()
	if err := b.AddOutcome(table.Record{1, 2}, 1, 3); err != nil {
		t.Fatal(err)
	}
	writeCounts(t, "ones.parquet", s, b.Table(), [][]int{{0}, {1}})
	writeCounts(t, "all.parquet", s, b.Table(), [][]int{{0, 1}})
	// Parts of the schema outside the domain may differ.
	retitled := tabletest.Schema(t, "name = \"Another\"\n[file]\ndelimiter = \";\"\n"+pairSchema)
	other := tabletest.Schema(t, strings.Replace(pairSchema, `"z"`, `"w"`, 1))
	const needs = "ones.parquet: the file does not contain the joint counts of all attributes; count the data again with sibyl count --all"
	for _, c := range []struct {
		path string
		s    *table.Schema
		want string
	}{
		{"all.parquet", s, ""},
		{"all.parquet", retitled, ""},
		{"all.parquet", other, "all.parquet: the counts were made with another schema, or the command needs the rows; name that schema, or the file of the data"},
		{"ones.parquet", s, needs},
	} {
		for _, err := range []error{
			source.Ready(ctx, c.path, c.s, table.Queries{Records: true}, source.Options{}),
			func() error { _, err := source.Read(ctx, c.path, c.s, source.Options{}); return err }(),
		} {
			if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
				t.Errorf("%s: got %v, want %s", c.path, err, c.want)
			}
		}
	}
	rows := "all.parquet: the file holds counts, and this command needs the rows; name the file of the data"
	for _, reasons := range []bool{false, true} {
		err := source.Records(ctx, "all.parquet", s, source.Options{Reasons: reasons}, func(source.Row) error { return nil })
		if err == nil || err.Error() != rows {
			t.Errorf("reasons %v: got %v, want %s", reasons, err, rows)
		}
	}
	if _, err := source.Check(ctx, "all.parquet", s, source.Options{}); err == nil || err.Error() != rows {
		t.Errorf("got %v, want %s", err, rows)
	}
}

// TestCountedAsks checks that exactly the queries that follow from the marginals of a file are
// answered.
func TestCountedAsks(t *testing.T) {
	inDirectory(t)
	text := "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n"
	for j := range 4 {
		text += fmt.Sprintf("[[attribute]]\ncolumn = \"a%d\"\nvalues = [\"0\", \"1\"]\n", j)
	}
	s := tabletest.Schema(t, text)
	none := s.Builder().Table()
	writeCounts(t, "pairs.parquet", s, none, [][]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}})
	writeCounts(t, "some.parquet", s, none, [][]int{{0, 1, 2}, {0, 3}, {1, 3}})
	writeCounts(t, "all.parquet", s, none, [][]int{{0, 1, 2, 3}})
	all := table.Queries{Records: true, Columns: [][]int{{3, 1, 0, 4, 2}}, Any: 9}
	const lacks, again = "the file does not contain the joint counts of ", "; count the data again with sibyl count --"
	for _, c := range []struct {
		path string
		a    table.Queries
		want string
	}{
		{"all.parquet", all, ""},
		{"all.parquet", table.Queries{Rows: true}, "the file holds counts, and this command needs the rows; name the file of the data"},
		{"pairs.parquet", table.Queries{}, ""},
		{"pairs.parquet", table.Queries{Columns: [][]int{{4}, {3}, {1, 0}, {4, 2, 3}}, Any: 2}, ""},
		{"pairs.parquet", table.Queries{Columns: [][]int{{1, 0}, {0, 1, 3}}}, lacks + `"a0" and "a1" and "a3"` + again + "order 3"},
		{"pairs.parquet", table.Queries{Any: 3}, lacks + `"a0" and "a1" and "a2"` + again + "order 3"},
		{"pairs.parquet", table.Queries{Any: 4}, lacks + "all attributes" + again + "all"},
		{"pairs.parquet", table.Queries{Records: true}, lacks + "all attributes" + again + "all"},
		{"some.parquet", table.Queries{Columns: [][]int{{2, 1, 0}, {3, 1}}, Any: 1}, ""},
		{"pairs.parquet", table.Queries{Any: 4, Fallback: "--less"}, lacks + "all attributes" + again + "all, or use --less, which needs fewer counts"},
		{"pairs.parquet", table.Queries{Any: 2, Fallback: "--less"}, ""},
		{"some.parquet", table.Queries{Any: 2}, lacks + `"a2" and "a3"` + again + "order 2"},
	} {
		err := source.Ready(context.Background(), c.path, s, c.a, source.Options{})
		if c.want == "" && err != nil || c.want != "" && fmt.Sprint(err) != c.path+": "+c.want {
			t.Errorf("%s, asked for %+v: %v, not %s", c.path, c.a, err, c.want)
		}
	}
}

// TestDamagedCounts flips bytes. Reading returns a table or an error of one sentence, and never
// panics.
func TestDamagedCounts(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, made.People().Schema())
	ctx := context.Background()
	if err := made.People().WriteParquet("people.parquet", 300); err != nil {
		t.Fatal(err)
	}
	want, err := source.Read(ctx, "people.parquet", s, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lists, err := source.Lists(s, len(s.Attributes))
	if err != nil {
		t.Fatal(err)
	}
	writeCounts(t, "c.parquet", s, want, lists)
	sound, err := os.ReadFile("c.parquet")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		text := slices.Clone(sound)
		for range 1 + random.IntN(3) {
			text[random.IntN(len(text))] ^= byte(1 + random.IntN(255))
		}
		if err := os.WriteFile("d.parquet", text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := source.Read(ctx, "d.parquet", s, source.Options{}); err != nil && (!strings.HasPrefix(err.Error(), "d.parquet") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%v", err)
		}
	}
}

// TestCountsWriter checks that the writer refuses cells that are not those of one table.
func TestCountsWriter(t *testing.T) {
	s := tabletest.Schema(t, pairSchema)
	type cell struct {
		list    int
		codes   []uint16
		outcome int
		units   int64
	}
	sound := []cell{{0, []uint16{0, 1}, 0, 3}, {0, []uint16{0, 1}, 1, 1}, {1, []uint16{1}, 0, 3}, {1, []uint16{1}, 1, 1}}
	writes := func(cells []cell) error {
		w, err := source.NewCountsWriter(&bytes.Buffer{}, s, [][]int{{0, 1}, {1}}, 5, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			if err := w.Add(c.list, c.codes, c.outcome, c.units); err != nil {
				return err
			}
		}
		return w.Close()
	}
	if err := writes(sound); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(c []cell) []cell{
		"too few":     func(c []cell) []cell { return c[:3] },
		"too many":    func(c []cell) []cell { return append(c, cell{1, []uint16{2}, 0, 1}) },
		"twice":       func(c []cell) []cell { c[0].units, c[1] = 1, c[0]; return c },
		"none":        func(c []cell) []cell { c[3].units = 0; return c },
		"wrapped":     func(c []cell) []cell { c[0].units, c[1].units = 1<<62, 1<<62; return c },
		"no list":     func(c []cell) []cell { c[3].list = 2; return c },
		"other list":  func(c []cell) []cell { c[2].codes = []uint16{1, 2}; return c },
		"other order": func(c []cell) []cell { c[0], c[1] = c[1], c[0]; return c },
	} {
		if err := writes(change(slices.Clone(sound))); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	for _, lists := range [][][]int{nil, {{0, 2}}, {{1, 0}}, {{-1}}, {{0, 1}, {1}, {0, 1}}, {{1}, {1}}} {
		if _, err := source.NewCountsWriter(&bytes.Buffer{}, s, lists, 5, 1); err == nil {
			t.Errorf("lists %v are written", lists)
		}
	}
}

// TestLists checks the sets of attributes of each order, and that too large an order is an error.
func TestLists(t *testing.T) {
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"x\"]\n[[attribute]]\ncolumn = \"b\"\nvalues = [\"x\"]\n[[attribute]]\ncolumn = \"c\"\nvalues = [\"x\"]")
	for order, want := range map[int][][]int{1: {{0}, {1}, {2}}, 2: {{0, 1}, {0, 2}, {1, 2}}, 3: {{0, 1, 2}}, 9: {{0, 1, 2}}} {
		if got, err := source.Lists(s, order); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("order %d: %v, %v", order, got, err)
		}
	}
	many := ""
	for j := range 200 {
		many += fmt.Sprintf("[[attribute]]\ncolumn = \"a%d\"\nvalues = [\"x\"]\n", j)
	}
	var cuts []string
	for i := range 5000 {
		cuts = append(cuts, fmt.Sprint(i))
	}
	wide := ""
	for _, column := range []string{"a", "b", "c"} {
		wide += fmt.Sprintf("[[attribute]]\ncolumn = %q\ncuts = [%s]\n", column, strings.Join(cuts, ", "))
	}
	for _, c := range []struct {
		schema string
		order  int
		want   string
	}{
		{pairSchema, 0, "--order 0 must be at least 1, the number of attributes to count together"},
		{many, 3, "--order 3 is too high: 200 attributes have more than 100000 combinations of this size; use a lower --order"},
		{wide, 2, `--order 2: "a" and "b" have more than 16777216 cells in total; group values, or use a lower --order`},
	} {
		if _, err := source.Lists(tabletest.Schema(t, c.schema), c.order); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
