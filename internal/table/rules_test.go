package table_test

import (
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const stays = tabletest.Stays + `[[rule]]
at_most = ["born", "in", "out"]
[[rule]]
function = "land"
of = ["town"]
table = [["Kiel", "north"]]
otherwise = "west"
[[rule]]
forbid = { land = ["north"], dose = ["≥10"] }
[[rule]]
forbid = { back = ["yes"], in = ["unknown"] }
`

func flat(t *testing.T, s *table.Schema) *table.Schema {
	t.Helper()
	f, err := s.Flat()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFlat(t *testing.T) {
	f := flat(t, tabletest.Schema(t, stays))
	last := f.Attributes[len(f.Attributes)-1]
	if f.Label != nil || last.Column != "back" || !reflect.DeepEqual(last.Categories(), []string{"no", "yes"}) {
		t.Errorf("the label became %+v", last)
	}
	for _, c := range []struct{ label, categories string }{
		{"positive = [\"1\"]\nnegative = [\"0\"]", "0 1"},
		{"positive = [\"1\", \"2\"]\nnegative = [\"0\"]", "0 1"},
		{"positive = [\"1\"]\nnegative = [\"0\", \"-1\"]", "0 1"},
		{"at_least = 3", "<3 ≥3"},
		{"cuts = [1, 2]", "<1 [1,2) ≥2"},
		{`values = ["a", "b", "c"]`, "a b c"},
	} {
		s := tabletest.Schema(t, "[label]\ncolumn = \"y\"\n"+c.label+"\n[[attribute]]\ncolumn = \"x\"\nvalues = [\"1\"]\n")
		f := flat(t, s)
		if got := strings.Join(f.Attributes[1].Categories(), " "); got != c.categories {
			t.Errorf("%s: the categories are %s", c.label, got)
		}
		label, attribute := s.Label.Coder(nil), f.Attributes[1].Coder(nil)
		for _, field := range []string{"", "0", "1", "2", "-1", "3", "a", "b", "c"} {
			want, ok := label.Code([]byte(field))
			if code, inside := attribute.Code([]byte(field)); inside != ok || ok && code != want {
				t.Errorf("%s: the attribute codes %q as %d, %v, and the label as %d, %v", c.label, field, code, inside, want, ok)
			}
		}
	}
	if _, err := tabletest.Schema(t, people).Flat(); err == nil || !strings.Contains(err.Error(), `two attributes have the column "age"`) {
		t.Errorf("a column of two attributes: %v", err)
	}
	clash := tabletest.Schema(t, "[label]\ncolumn = \"y\"\nat_least = 3\n[[attribute]]\ncolumn = \"x\"\nname = \"y\"\nvalues = [\"1\"]\n")
	if _, err := clash.Flat(); err == nil || !strings.Contains(err.Error(), "has the name of the label's column") {
		t.Errorf("two attributes of one name: %v", err)
	}
}

func TestOrdered(t *testing.T) {
	for text, want := range map[string]bool{
		`cuts = [1]`:                                       true,
		`values = ["0", "1", "10"]`:                        true,
		`values = ["0", "10", "1"]`:                        false,
		`values = ["a", "b"]`:                              false,
		"values = [\"a\", \"b\"]\nordered = true":          true,
		"values = [\"0\", \"1\"]\nordered = false":         false,
		"groups = { a = [\"1\"], b = [\"2\"] }":            false,
		"values = [\"0\", \"1\", \"x\"]\nother = \"rest\"": false,
	} {
		if got := tabletest.Schema(t, attribute(text)).Attributes[0].IsOrdered(); got != want {
			t.Errorf("%s: ordered %v", text, got)
		}
	}
}

func TestInOrder(t *testing.T) {
	for text, want := range map[string]int{
		`cuts = [1, 2]`:                           3,
		"cuts = [1, 2]\nother = \"missing\"":      3,
		`values = ["a", "b"]`:                     0,
		"values = [\"a\", \"b\"]\nordered = true": 2,
	} {
		if got := tabletest.Schema(t, attribute(text)).Attributes[0].InOrder(); got != want {
			t.Errorf("%s: %d categories have an order, want %d", text, got, want)
		}
	}
}

// all visits every record of the domain.
func all(sizes []int, visit func([]uint16)) {
	record := make([]uint16, len(sizes))
	for {
		visit(slices.Clone(record))
		j := 0
		for ; j < len(sizes); j++ {
			if record[j]++; int(record[j]) < sizes[j] {
				break
			}
			record[j] = 0
		}
		if j == len(sizes) {
			return
		}
	}
}

// keeps reports whether a row satisfies the rules above, written out in Go.
func keeps(fields []string) bool {
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	born, in, out, town, land, dose, back := number(fields[0]), fields[1], number(fields[2]), fields[3], strings.ToUpper(fields[4]), fields[6], fields[7]
	north := land == "SH"
	return born <= out && (in == "?" || born <= number(in) && number(in) <= out) &&
		north == (town == "Kiel") && !(north && dose == "20.5") && !(back != "no" && in == "?")
}

// A record is allowed if and only if some sampled row of it satisfies the rules. Then all its
// sampled rows do.
func TestRulesAreKept(t *testing.T) {
	f := flat(t, tabletest.Schema(t, stays))
	c, err := f.Constraints()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Free(); !reflect.DeepEqual(got, []int{0, 1, 2, 3, 5, 6, 7}) {
		t.Errorf("the free columns are %v", got)
	}
	d, err := table.NewDrawer(f, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w := c.Witness(); len(w) != len(f.Attributes) || !c.Allows(w) {
		t.Errorf("the witness is %v", w)
	}
	allowed := 0
	all(f.Sizes(), func(r []uint16) {
		land := r[4]
		c.Complete(r)
		if r[4] != land {
			return
		}
		if !c.Allows(r) {
			return
		}
		allowed++
		for range 3 {
			fields := d.Draw(nil, r, nil)
			if fields[4] == "nw" || fields[7] == "y" {
				t.Fatalf("%q does not have the first value", fields)
			}
			if !keeps(fields) {
				t.Fatalf("%v became %q, which breaks a rule", r, fields)
			}
			for j, field := range fields {
				if code, ok := f.Attributes[j].Code(field); !ok || code != int(r[j]) {
					t.Fatalf("category %d of %s became %q, which is read as %d", r[j], f.Attributes[j].Name, field, code)
				}
			}
		}
	})
	if want := countKept(); allowed != want {
		t.Errorf("%d records are allowed, not %d", allowed, want)
	}
}

// countKept counts the allowed records by the ranges of their numbers.
func countKept() (n int) {
	born := [][2]int{{1920, 1949}, {1950, 1989}, {1990, 2009}}
	in := [][2]int{{1930, 1959}, {1960, 1989}, {1990, 2019}, {}}
	for _, b := range born {
		for i, at := range in {
			for _, out := range []int{1940, 1985, 2019} {
				if b[0] > out || i < 3 && (b[0] > at[1] || at[0] > out) {
					continue
				}
				backs := 2
				if i == 3 {
					backs = 1
				}
				// Towns and doses: Kiel is in the north, where doses of 10 and more are forbidden.
				n += backs * 3 * (2*2 + 1)
			}
		}
	}
	return n
}

// Every number of an interval can be sampled, its end points included, and no other number.
func TestDrawnNumbers(t *testing.T) {
	f := flat(t, tabletest.Schema(t, "[file]\ndecimal = \",\"\n[[attribute]]\ncolumn = \"a\"\ncuts = [-0.1, 0.3]\ndraw = \"uniform\"\nplaces = 1\nleast = -0.25\nmost = 0.55\n"+
		"[[attribute]]\ncolumn = \"b\"\ncuts = [2]\ndraw = [0.5, 1, 7]\n[[attribute]]\ncolumn = \"c\"\ngroups = { x = [\"p\", \"q\"] }\nother = \"rest\"\n"))
	d, err := table.NewDrawer(f, 7, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]map[string]bool, 6)
	for i := range seen {
		seen[i] = map[string]bool{}
	}
	for range 500 {
		for k := range uint16(3) {
			fields := d.Draw(nil, []uint16{k, min(k, 1), min(k, 1)}, nil)
			seen[k][fields[0]] = true
			seen[3+min(k, 1)][fields[1]] = true
			if k == 0 {
				seen[5][fields[2]] = true
			} else if fields[2] != "" {
				t.Fatalf("other became %q", fields[2])
			}
		}
	}
	for i, want := range []string{"-0,2", "-0,1 0,0 0,1 0,2", "0,3 0,4 0,5", "0,5 1", "7", "p q"} {
		var got []string
		for text := range seen[i] {
			got = append(got, text)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("drawn were %q, not %q", got, want)
		}
	}
	if _, err := table.NewDrawer(flat(t, tabletest.Schema(t, attribute(`cuts = [2]`))), 1, nil); err == nil || !strings.Contains(err.Error(), `attribute "a" has cuts, but does not define which numbers`) {
		t.Errorf("cuts without a draw: %v", err)
	}
}

// Ordered pairs of numbers are sampled uniformly.
func TestOrderedNumbersAreUniform(t *testing.T) {
	f := flat(t, tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\ncuts = [5]\ndraw = \"integer\"\nleast = 1\nmost = 9\n[[attribute]]\ncolumn = \"b\"\ncuts = [5]\ndraw = \"integer\"\nleast = 1\nmost = 9\n[[rule]]\nat_most = [\"a\", \"b\"]\n"))
	d, err := table.NewDrawer(f, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	const draws = 100_000
	for range draws {
		seen[strings.Join(d.Draw(nil, []uint16{0, 0}, nil), " ")]++
	}
	if len(seen) != 10 {
		t.Fatalf("%d pairs of 1 to 4 in order", len(seen))
	}
	for pair, n := range seen {
		if n < draws/10-1000 || n > draws/10+1000 { // ten standard deviations
			t.Errorf("%s was drawn %d times of %d", pair, n, draws)
		}
	}
}

func TestRulesInJSON(t *testing.T) {
	s := tabletest.Schema(t, stays)
	checkJSON(t, s)
	built, err := table.NewSchema(*s)
	if err != nil || !reflect.DeepEqual(built, s) {
		t.Errorf("NewSchema: %+v, %v", built, err)
	}
	built.Rules[0].AtMost[0], built.Rules[1].Table[0][0], built.Attributes[6].Listed[0] = "x", "x", "0"
	if s.Rules[0].AtMost[0] == "x" || s.Rules[1].Table[0][0] == "x" || s.Attributes[6].Listed[0] == "0" {
		t.Error("a copy shares its rules")
	}
}

// If ordered columns had different numbers of decimal places, every pair of a row's intervals could
// allow an order while no row satisfies all orders.
func TestOrdersOfOnePlace(t *testing.T) {
	attributes := "[[attribute]]\ncolumn = \"a\"\ncuts = [5]\ndraw = \"integer\"\nleast = 1\nmost = 9\n[[attribute]]\ncolumn = \"b\"\ncuts = [5]\ndraw = \"uniform\"\nleast = 1\nmost = 9\n[[attribute]]\ncolumn = \"c\"\nvalues = [\"1.5\"]\n"
	for rule, says := range map[string]string{
		`["a", "b"]`: "have different numbers of decimal places",
		`["a", "c"]`: "more digits after the point",
	} {
		_, err := table.ParseSchema("s", strings.NewReader(attributes+"[[rule]]\nat_most = "+rule))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", rule, err)
		}
	}
	_, err := table.ParseSchema("s", strings.NewReader(attributes+"[[rule]]\nat_most = [\"b\", \"c\"]\n[[rule]]\nat_most = [\"c\", \"b\"]"))
	if err == nil || !strings.Contains(err.Error(), "form a cycle") {
		t.Errorf("a circle: %v", err)
	}
	_, err = table.ParseSchema("s", strings.NewReader(attribute("cuts = [5]\ndraw = [1, 7]")+"[[attribute]]\ncolumn = \"c\"\nvalues = [\"1.5\"]\n[[rule]]\nat_most = [\"a\", \"c\"]"))
	if err == nil || !strings.Contains(err.Error(), "does not have draw") {
		t.Errorf("listed numbers: %v", err)
	}
}

// Intervals that share exactly one number satisfy an order, and so do equal values.
func TestEqualNumbersKeepTheOrder(t *testing.T) {
	f := flat(t, tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\ncuts = [5]\ndraw = \"integer\"\nleast = 1\nmost = 5\n[[attribute]]\ncolumn = \"b\"\nvalues = [\"4\", \"5\"]\n[[rule]]\nat_most = [\"a\", \"b\"]\n"))
	c, err := f.Constraints()
	if err != nil {
		t.Fatal(err)
	}
	for code, allowed := range map[[2]uint16]bool{{0, 0}: true, {0, 1}: true, {1, 0}: false, {1, 1}: true} {
		if got := c.Allows(code[:]); got != allowed {
			t.Errorf("%v is allowed: %v", code, got)
		}
	}
}

// Orders of listed numbers compare all decimal places.
func TestOrdersOfListedNumbers(t *testing.T) {
	numbers := [2][]string{{"0.5", "2", "-1.25", "3.1"}, {"0.50", "1.999", "-1.3", "3.1", "7"}}
	list := func(of []string) string { return `["` + strings.Join(of, `", "`) + `"]` }
	f := flat(t, tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = "+list(numbers[0])+"\n[[attribute]]\ncolumn = \"b\"\nvalues = "+list(numbers[1])+"\n[[rule]]\nat_most = [\"a\", \"b\"]\n"))
	c, err := f.Constraints()
	if err != nil {
		t.Fatal(err)
	}
	all(f.Sizes(), func(record []uint16) {
		a, _ := new(big.Rat).SetString(numbers[0][record[0]])
		b, _ := new(big.Rat).SetString(numbers[1][record[1]])
		if got := c.Allows(record); got != (a.Cmp(b) <= 0) {
			t.Errorf("%v at most %v: %v", a, b, got)
		}
	})
}
