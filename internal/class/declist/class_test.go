package declist_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/declist/declisttest"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

func TestNewRefuses(t *testing.T) {
	binary := []literal.Attribute{literal.Equal(2)}
	for says, c := range map[string]struct {
		attributes []literal.Attribute
		options    declist.Options
	}{
		"no rule is possible":                        {nil, declist.Options{}},
		"no literal distinguishes two records":       {[]literal.Attribute{literal.Equal(1), literal.Tests(2, nil)}, declist.Options{}},
		"1025 attributes exceed":                     {make([]literal.Attribute, 1<<10+1), declist.Options{}},
		"attribute 2: the number of categories is 0": {[]literal.Attribute{literal.Equal(2), {}}, declist.Options{}},
		"number of rules is -1, but must":            {binary, declist.Options{Rules: -1}},
		"literals per rule is 3":                     {binary, declist.Options{Literals: 3}},
		"literals per rule is -1":                    {binary, declist.Options{Literals: -1}},
		"penalty per rule is -1":                     {binary, declist.Options{Penalty: -1}},
		"penalty per rule is 1099511627777":          {binary, declist.Options{Penalty: 1<<40 + 1}},
		"240800 conditions for rules, more than":     {slices.Repeat([]literal.Attribute{literal.Equal(200)}, 4), declist.Options{Literals: 2}},
		"up to 1000 rules with 1000":                 {[]literal.Attribute{literal.Equal(1000)}, declist.Options{}},
	} {
		if _, err := declist.New(c.attributes, c.options); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v instead of %q", err, says)
		}
	}
}

func TestAntecedents(t *testing.T) {
	c, err := declist.New([]literal.Attribute{
		literal.Tests(4, [][]bool{{false, true, false, true}}), literal.Equal(1), literal.EqualOrNot(2), literal.Intervals(3, false),
	}, declist.Options{Literals: 2})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for a := range c.Antecedents() {
		var literals []string
		for _, l := range c.Antecedent(a) {
			var s strings.Builder
			s.WriteByte(byte('a' + l.Attribute))
			for _, v := range l.Accepts {
				s.WriteByte(byte('0' + v))
			}
			literals = append(literals, s.String())
		}
		got = append(got, strings.Join(literals, "&"))
	}
	want := "a13 c0 c1 d0 d01 d1 d12 d2 a13&c0 a13&c1 a13&d0 a13&d01 a13&d1 a13&d12 a13&d2 " +
		"c0&d0 c0&d01 c0&d1 c0&d12 c0&d2 c1&d0 c1&d01 c1&d1 c1&d12 c1&d2"
	if strings.Join(got, " ") != want {
		t.Errorf("antecedents %v", got)
	}
}

// TestSizeLarge compares the sizes of classes that are too large to enumerate with the results of
// an independent recursion. The recursion counts a run of rules with equal labels as a set of
// antecedents.
func TestSizeLarge(t *testing.T) {
	for _, o := range []declist.Options{{}, {Rules: 5}, {Rules: 3, Literals: 2}} {
		c, err := declist.New(slices.Repeat([]literal.Attribute{literal.Equal(3)}, 10), o)
		if err != nil {
			t.Fatal(err)
		}
		n, k := c.Antecedents(), o.Rules
		if k == 0 {
			k = n
		}
		memo := map[[2]int]*big.Int{}
		var runs func(n, k int) *big.Int // counts the sequences of runs with at most k more rules
		runs = func(n, k int) *big.Int {
			if known := memo[[2]int{n, k}]; known != nil {
				return known
			}
			total := big.NewInt(1)
			for size := 1; size <= min(n, k); size++ {
				total.Add(total, new(big.Int).Mul(new(big.Int).Binomial(int64(n), int64(size)), runs(n-size, k-size)))
			}
			memo[[2]int{n, k}] = total
			return total
		}
		// Labels alternate from run to run, so the first label determines all labels. The empty
		// list has two defaults.
		if want := new(big.Int).Lsh(runs(n, k), 1); c.Size().Cmp(want) != 0 {
			t.Errorf("%v: %v lists instead of %v", c, c.Size(), want)
		}
	}
}

// Every list of rules, canonical or not, is equivalent to a list of the class.
func TestEveryListIsWritten(t *testing.T) {
	c := declisttest.Fixed()["two columns"]
	table := func(predict func(record) bool) (out string) {
		for _, x := range c.Domain {
			if predict(x) {
				out += "1"
			} else {
				out += "0"
			}
		}
		return out
	}
	has := map[string]bool{}
	for h := range c.Class.All() {
		has[table(func(x record) bool { return c.Class.Predict(h, x) })] = true
	}
	class := c.Class.(*declist.Class)
	var try func(h declist.List)
	try = func(h declist.List) {
		if !has[table(func(x record) bool { return class.Predict(h, x) })] {
			t.Errorf("%v is not in the class", h)
		}
		if len(h.Rules) == 4 {
			return
		}
		for a := range class.Antecedents() {
			for _, y := range []bool{false, true} {
				try(declist.List{Rules: append(h.Rules[:len(h.Rules):len(h.Rules)], declist.Rule{Antecedent: a, Label: y}), Default: h.Default})
			}
		}
	}
	try(declist.List{})
	try(declist.List{Default: true})
}

func TestContainsRefuses(t *testing.T) {
	c, err := declist.New([]literal.Attribute{literal.Equal(3)}, declist.Options{Rules: 2})
	if err != nil {
		t.Fatal(err)
	}
	rule := func(a int, y bool) declist.Rule { return declist.Rule{Antecedent: a, Label: y} }
	for what, h := range map[string]declist.List{
		"a default of the last label": {Rules: []declist.Rule{rule(0, true)}, Default: true},
		"a run that falls":            {Rules: []declist.Rule{rule(1, true), rule(0, true)}},
		"an antecedent twice":         {Rules: []declist.Rule{rule(1, true), rule(1, false)}, Default: true},
		"no such antecedent":          {Rules: []declist.Rule{rule(3, true)}},
		"a negative antecedent":       {Rules: []declist.Rule{rule(-1, true)}},
		"three rules":                 {Rules: []declist.Rule{rule(0, true), rule(1, true), rule(2, true)}},
	} {
		if c.Contains(h) {
			t.Errorf("%s is in the class: %v", what, h)
		}
	}
}

// TestNeelRothWuLemma16 uses the separator set that Neel, Roth and Wu (2018) give for monotone
// decision lists: the records with at most two columns set to 1. Two lists that are different
// functions differ on at least one of these records. If two lists are equal as functions, no record
// distinguishes them, but the class's separator does.
func TestNeelRothWuLemma16(t *testing.T) {
	positive := literal.Positive()
	c, err := declist.New(slices.Repeat([]literal.Attribute{positive}, 4), declist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	everywhere := map[string]string{}
	for h := range c.All() {
		var all, few []byte
		for _, x := range classtest.Records([]int{2, 2, 2, 2}) {
			y := byte('0')
			if c.Predict(h, x) {
				y = '1'
			}
			all = append(all, y)
			if x[0]+x[1]+x[2]+x[3] <= 2 {
				few = append(few, y)
			}
		}
		if known, seen := everywhere[string(few)]; seen && known != string(all) {
			t.Fatalf("%v is not told apart by the separator set", h)
		}
		everywhere[string(few)] = string(all)
	}
	t.Logf("%v: %v lists, %d functions", c, c.Size(), len(everywhere))
}

// TestPredictPartial compares partial predictions with the predictions on all records that agree
// with the known attributes.
func TestPredictPartial(t *testing.T) {
	said, same := 0, 0
	for seed := range 100 {
		draw := classtest.FromSeed(seed)
		c := declisttest.Random(draw, 300)
		class := c.Class.(*declist.Class)
		x := c.Domain[draw(0, len(c.Domain)-1)]
		for set := range 1 << len(x) {
			known := make([]bool, len(x))
			for j := range known {
				known[j] = set>>j&1 == 1
			}
			for h := range class.All() {
				var outcomes [2]bool
				for _, other := range c.Domain {
					agrees := true
					for j := range known {
						agrees = agrees && (!known[j] || other[j] == x[j])
					}
					if agrees {
						outcomes[bit(class.Predict(h, other))] = true
					}
				}
				label, ok := class.PredictPartial(h, x, known)
				if ok && outcomes[bit(!label)] {
					t.Fatalf("%v: %v on %v, known %v, is said to be %v", class, h, x, known, label)
				}
				if !ok && set == 1<<len(x)-1 {
					t.Fatalf("%v: %v on %v is not said", class, h, x)
				}
				if ok {
					said++
				}
				if outcomes[0] != outcomes[1] {
					same++
				}
			}
		}
	}
	t.Logf("said %d of %d predictions that are the same", said, same)
	if said < same*8/10 {
		t.Error("little is said")
	}
}

func bit(y bool) int {
	if y {
		return 1
	}
	return 0
}
