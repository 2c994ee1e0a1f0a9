package rule

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

var sizes = []int{2, 3, 5, 1}

func records() (all [][]uint16) {
	all = [][]uint16{{}}
	for _, size := range sizes {
		var longer [][]uint16
		for _, x := range all {
			for code := range size {
				longer = append(longer, append(slices.Clip(x), uint16(code)))
			}
		}
		all = longer
	}
	return all
}

func someCondition(r *rand.Rand) Condition {
	c := Condition{Attribute: r.IntN(len(sizes))}
	for code := range sizes[c.Attribute] {
		if r.IntN(2) == 0 {
			c.Accepts = append(c.Accepts, uint16(code))
		}
	}
	return c
}

// A condition holds for the categories that it lists. Its complement holds for all other categories.
func TestConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		c := someCondition(r)
		not := c.Complement(sizes[c.Attribute])
		for _, x := range records() {
			if want := slices.Contains(c.Accepts, x[c.Attribute]); c.Holds(x) != want || not.Holds(x) == want {
				t.Fatalf("%v on %v is %v, its complement %v is %v", c, x, c.Holds(x), not, not.Holds(x))
			}
		}
	}
}

// Whether a formula holds depends only on the number of its parts that hold. Conditions lists its
// conditions in order.
func TestFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for range 300 {
		var of []Formula
		var listed []Condition
		for range r.IntN(5) {
			c := someCondition(r)
			listed = append(listed, c)
			if of = append(of, c); r.IntN(2) == 0 {
				of[len(of)-1] = Not{c}
			}
		}
		n, least := len(of), r.IntN(5)
		if !slices.EqualFunc(Conditions(Not{All(of)}), listed, func(a, b Condition) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatalf("%v has the conditions %v", of, Conditions(All(of)))
		}
		for _, x := range records() {
			hold := 0
			for _, f := range of {
				if f.Holds(x) {
					hold++
				}
			}
			cases := []struct {
				f    Formula
				want bool
			}{{All(of), hold == n}, {Any(of), hold > 0}, {Odd(of), hold == 1 || hold == 3}, {AtLeast{least, of}, hold >= least}, {Not{All(of)}, hold < n}}
			for _, c := range cases {
				if d := (Decision{c.f}); c.f.Holds(x) != c.want || d.Outcome(x) != digit(c.want) || d.Predicts(d.Grade(x)) != digit(c.want) {
					t.Fatalf("%T%v on %v, of which %d of %d parts hold: %v", c.f, c.f, x, hold, n, c.f.Holds(x))
				}
			}
		}
	}
}

// A body depends on the attributes of its conditions and on those with different points.
func TestAttributes(t *testing.T) {
	on := func(j int) Condition { return Condition{j, []uint16{0}} }
	for _, c := range []struct {
		body Body
		want []int
	}{
		{Points{Of: [][]int{nil, {2, 2, 2}, {0, 0, 1, 0, 0}, {7}}}, []int{2}},
		{Points{Of: [][]int{{-1, 3}, nil, {5, 5, 4}}}, []int{0, 2}},
		{Points{Of: [][]int{nil, nil, {5, 5, 4}}, If: Any{All{on(3)}, on(2)}, Bonus: 1}, []int{2, 3}},
		{List{Steps: []Step{{[]Condition{on(3), on(1)}, 1}, {[]Condition{on(1)}, 0}, {[]Condition{on(2)}, 1}}}, []int{1, 2, 3}},
		{&Tree{If: on(2), Yes: &Tree{If: on(3), Yes: &Tree{}, No: &Tree{Predict: 1}}, No: &Tree{If: on(0), Yes: &Tree{}, No: &Tree{Predict: 1}}}, []int{0, 2, 3}},
		{&Tree{Predict: 1}, nil},
		{Decision{Odd{on(3), Not{on(0)}, on(3)}}, []int{0, 3}},
	} {
		if got := Attributes(c.body); !slices.Equal(got, c.want) {
			t.Errorf("%#v depends on %v, not on %v", c.body, c.want, got)
		}
	}
}

// someTree returns a tree with at most the given depth.
func someTree(r *rand.Rand, depth int) *Tree {
	if depth == 0 || r.IntN(5) == 0 {
		return &Tree{Predict: r.IntN(2)}
	}
	return &Tree{If: someCondition(r), Yes: someTree(r, depth-1), No: someTree(r, depth-1)}
}

// The formula of a tree holds for the records for which the tree predicts 1, which receive the bonus of points.
func TestFormulaOfTree(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	for range 300 {
		tree := someTree(r, 3)
		f := tree.Formula(sizes)
		p := Points{Start: 2, Of: [][]int{{0, 1}, nil, nil, nil}, If: f, Bonus: 7, Threshold: 9}
		for _, x := range records() {
			if f.Holds(x) != (tree.Outcome(x) == 1) {
				t.Fatalf("%v on %v is %v", f, x, f.Holds(x))
			}
			if want := 2 + int(x[0]) + 7*tree.Outcome(x); p.Grade(x) != want || p.Outcome(x) != tree.Outcome(x) {
				t.Fatalf("%v has the total %d, not %d, and the outcome %d", x, p.Grade(x), want, p.Outcome(x))
			}
		}
		for _, part := range f {
			for i, c := range part.(All)[min(1, len(part.(All))):] {
				if before := part.(All)[i].(Condition); before.Attribute >= c.(Condition).Attribute {
					t.Fatalf("two conditions on attribute %d, or not in order: %v", before.Attribute, part)
				}
			}
		}
	}
}

// A part of the formula of a tree has conditions only on the attributes above its leaf.
func TestFormulaHasNoOtherConditions(t *testing.T) {
	on := func(j int) Condition { return Condition{j, []uint16{1}} }
	tree := &Tree{If: on(0), Yes: &Tree{If: on(1), Yes: &Tree{Predict: 1}, No: &Tree{}}, No: &Tree{Predict: 1}}
	not := on(0).Complement(sizes[0])
	if got, want := tree.Formula(sizes), (Any{All{on(0), on(1)}, All{not}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// Bits are the binary digits of the codes, or one condition for each code except 0.
func TestBits(t *testing.T) {
	of := func(j int, codes ...uint16) Condition { return Condition{j, codes} }
	for digits, want := range map[bool][]Condition{
		true:  {of(0, 1), of(2, 1, 3), of(2, 2, 3), of(2, 4)},
		false: {of(0, 1), of(2, 1), of(2, 2), of(2, 3), of(2, 4)},
	} {
		if got := Bits([]int{2, 1, 5}, digits); !reflect.DeepEqual(got, want) {
			t.Errorf("digits %v: %v, not %v", digits, got, want)
		}
	}
}

// A merged tree predicts the same, and no two leaves below the same condition predict the same.
func TestMerged(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	smaller := 0
	for range 300 {
		tree := someTree(r, 4)
		merged := tree.Merged()
		for _, x := range records() {
			if merged.Outcome(x) != tree.Outcome(x) {
				t.Fatalf("%v is predicted %d, not %d", x, merged.Outcome(x), tree.Outcome(x))
			}
		}
		var check func(t *Tree) bool
		check = func(t *Tree) bool {
			return t.Leaf() || check(t.Yes) && check(t.No) && !(t.Yes.Leaf() && t.No.Leaf() && t.Yes.Predict == t.No.Predict)
		}
		if !check(merged) {
			t.Fatal("two leaves below the same condition predict the same")
		}
		if len(merged.Leaves()) < len(tree.Leaves()) {
			smaller++
		}
	}
	if smaller < 50 {
		t.Errorf("%d trees were merged", smaller)
	}
}

// Every total is within the span, and is the start plus one number of each term. The bonus decides the prediction if and
// only if no choice of the other numbers changes it.
func TestTermsAndSpan(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	decided := 0
	for range 2000 {
		p := Points{Start: r.IntN(9) - 4, Of: [][]int{{r.IntN(3), 0}, nil, {0, 0, r.IntN(3) - 2, 0, 0}, {1}}, Threshold: 1}
		if r.IntN(4) > 0 {
			p.If = Condition{1, []uint16{2}}
		}
		if r.IntN(4) > 0 { // without a condition, the bonus has no effect
			p.Bonus = r.IntN(13) - 6
		}
		least, most := p.Span()
		seen := [2][2]bool{} // by whether there is a bonus, the predictions
		for _, x := range records() {
			total, want := p.Grade(x), p.Start
			codes := []uint16{x[0], x[2], x[3], uint16(digit(p.If != nil && p.If.Holds(x)))}
			for i, term := range p.Terms() {
				want += term[codes[i]]
			}
			if total != want || total < least || total > most {
				t.Fatalf("%+v, %v: the total is %d, the sum of the terms %d, within %d to %d", p, x, total, want, least, most)
			}
			seen[codes[3]][p.Outcome(x)] = true
		}
		want := seen == [2][2]bool{{true, false}, {false, true}} || seen == [2][2]bool{{false, true}, {true, false}}
		if got := p.BonusDecides(); got != want {
			t.Fatalf("%+v: the bonus decides is %v, not %v", p, got, want)
		}
		if want {
			decided++
		}
	}
	if decided < 100 {
		t.Errorf("the bonus decided in %d cases", decided)
	}
}

// A list predicts the outcome of the first step that applies.
func TestLists(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 100 {
		l := List{Otherwise: r.IntN(3)}
		for range r.IntN(4) {
			l.Steps = append(l.Steps, Step{[]Condition{someCondition(r), someCondition(r)}[:1+r.IntN(2)], r.IntN(3)})
		}
		for _, x := range records() {
			grade, outcome := 0, l.Otherwise
			for i := len(l.Steps) - 1; i >= 0; i-- {
				holds := true
				for _, c := range l.Steps[i].If {
					holds = holds && c.Holds(x)
				}
				if holds {
					grade, outcome = i+1, l.Steps[i].Predict
				}
			}
			if l.Grade(x) != grade || l.Outcome(x) != outcome || l.Predicts(grade) != outcome {
				t.Fatalf("%v on %v: %d, %d", l, x, l.Grade(x), l.Outcome(x))
			}
		}
	}
}

// A simplified tree makes the same predictions as the original tree, which Simplify does not change.
// Some record reaches each of its leaves, which are numbered from left to right. Records that reach
// the same leaf of the original tree also reach the same leaf of the simplified tree.
func TestSimplifyTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	var grow func(depth int) *Tree
	grow = func(depth int) *Tree {
		if depth == 0 || r.IntN(8) == 0 {
			return &Tree{Predict: r.IntN(3)}
		}
		return &Tree{If: someCondition(r), Yes: grow(depth - 1), No: grow(depth - 1)}
	}
	var copied func(t *Tree) *Tree
	copied = func(t *Tree) *Tree {
		if t == nil {
			return nil
		}
		return &Tree{t.If, copied(t.Yes), copied(t.No), t.Predict, t.Number}
	}
	smaller := 0
	for range 500 {
		tree := grow(4)
		before := copied(tree)
		s := Simplify(tree, sizes).(*Tree)
		if !reflect.DeepEqual(tree, before) {
			t.Fatalf("%+v was changed into %+v", before, tree)
		}
		leaves := s.Leaves()
		if len(leaves) < len(tree.Leaves()) {
			smaller++
		}
		reached, of := make([]bool, len(leaves)), map[*Tree]int{}
		for _, x := range records() {
			n := s.Grade(x)
			reached[n-1] = true
			if s.Outcome(x) != tree.Outcome(x) || s.Predicts(n) != tree.Outcome(x) || leaves[n-1] != s.at(x) {
				t.Fatalf("%v ends at leaf %d, which predicts %d and not %d", x, n, s.Outcome(x), tree.Outcome(x))
			}
			if at, seen := of[tree.at(x)]; seen && at != n {
				t.Fatalf("records of one leaf end at %d and %d", at, n)
			}
			of[tree.at(x)] = n
		}
		if slices.Contains(reached, false) {
			t.Fatalf("a leaf is not reached: %v", reached)
		}
	}
	if smaller < 100 {
		t.Errorf("%d trees became smaller", smaller)
	}
}

// Simplified points make the same predictions as the original points. Their totals are lower by the
// points that every record receives, but equal if Constant is true.
func TestSimplifyPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	folded := 0
	for i := range 400 {
		p := Points{Start: r.IntN(5) - 2, Threshold: r.IntN(5) - 2, Constant: i%4 == 0}
		everyone := 0
		for _, size := range sizes {
			own := make([]int, size)
			for c := range own {
				own[c] = r.IntN(3) - 1
			}
			if r.IntN(6) == 0 {
				own = nil
			} else if slices.Min(own) == slices.Max(own) {
				everyone += own[0]
			}
			p.Of = append(p.Of, own)
		}
		if p.Constant {
			everyone = 0
		}
		s := Simplify(p, sizes)
		for _, x := range records() {
			total := p.Start
			for j, own := range p.Of {
				if own != nil {
					total += own[x[j]]
				}
			}
			if p.Grade(x) != total || p.Outcome(x) != digit(total >= p.Threshold) || s.Outcome(x) != p.Outcome(x) || s.Grade(x) != total-everyone {
				t.Fatalf("%+v on %v: %d, %d; simplified %d, %d", p, x, p.Grade(x), p.Outcome(x), s.Grade(x), s.Outcome(x))
			}
		}
		if everyone != 0 {
			folded++
		}
	}
	if folded < 50 {
		t.Errorf("%d were folded", folded)
	}
}
