package release

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

// shaped returns a labelled schema with the given numbers of attributes and of categories per
// attribute. Every second attribute has cuts.
func shaped(t testing.TB, attributes, categories int) *table.Schema {
	t.Helper()
	s := &table.Schema{Label: &table.Label{Column: "y", Positive: []string{"1"}, Negative: []string{"0"}}}
	for j := range attributes {
		a := table.Attribute{Name: fmt.Sprint("x", j), Column: fmt.Sprint("x", j)}
		for c := range categories {
			if j%2 == 0 {
				a.Values = append(a.Values, fmt.Sprint("v", c))
			} else if c > 0 {
				a.Cuts = append(a.Cuts, table.Decimal(fmt.Sprint(c)))
			}
		}
		s.Attributes = append(s.Attributes, a)
	}
	return s
}

// Choose finds a class for every schema, a single candidate, and the class can be prepared. By
// data-independent bounds its sampling takes limited time.
func TestChoiceEnds(t *testing.T) {
	taken := map[string]bool{}
	between := map[[2]int]int64{{9, 3}: 2000, {22, 5}: 5000, {100, 2}: 20_000, {300, 2}: 40_000} // too few rows for Newton steps, and for 300 attributes also for weighted cards
	for _, shape := range append([][2]int{{1, 1}, {3, 3}, {9, 3}, {14, 7}, {22, 5}, {100, 2}, {300, 2}, {2, 65535}}, heavy.Pick(nil, [][2]int{
		{1, 2}, {5, 2}, {7, 4}, {10, 3}, {36, 2}, {100, 5},
	})...) {
		for i, rows := range []int64{0, 50, 1_000_000, between[shape]} {
			if i == 3 && rows == 0 {
				continue
			}
			for j, epsilon := range []string{"0.01", "3"} {
				for k, relation := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
					if wide := shape[0]*shape[1] >= 200; !heavy.On() && ((i+j+k)%2 == 1 || wide && (i == 1 || i > 1 && j == 0)) {
						continue // test one relation each, and wide schemas with the small ε or 50 rows only without stated rows
					}
					r := Request{Schema: shaped(t, shape[0], shape[1]), Epsilon: decimal(t, epsilon), Relation: relation, Rows: rows}
					if rows == 0 && epsilon == "3" && shape[0] >= 20 { // only trees support costs
						r.Costs = learn.Loss{FalsePositive: 1, FalseNegative: 2}
					}
					at := fmt.Sprintf("%v, %d rows, ε = %s, %v", shape, rows, epsilon, relation)
					choice, err := r.Choose()
					if err != nil {
						t.Errorf("%s: %v", at, err)
						continue
					}
					if n := len(slices.DeleteFunc(slices.Clone(choice), func(c Candidate) bool { return !c.Taken })); n != 1 {
						t.Errorf("%s: %d candidates are taken", at, n)
						continue
					}
					p, err := r.Prepare()
					if err != nil {
						t.Errorf("%s: %s: %v", at, choice.Taken().Class, err)
						continue
					}
					taken[choice.Taken().Class] = true
					if e := p.Effort; e != nil && e.Seconds > mostSeconds {
						t.Errorf("%s: %s takes %.0f seconds", at, choice.Taken().Class, e.Seconds)
					}
					if p.setting.Space.Sampling().Class != nil || p.searches() {
						t.Errorf("%s: %s is searched, which nothing bounds", at, choice.Taken().Class)
					}
				}
			}
		}
	}
	budget, err := privacy.NewPure(privacy.ReplaceOne, decimal(t, "10"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range candidates {
		if c.condition(facts{1, 1e6, true, false, decimal(t, "10"), privacy.ReplaceOne, budget, 1e6, 0, false}) && !taken[c.class] && !needsDelta(c.class) {
			t.Errorf("%s is a candidate that is never taken", c.class)
		}
	}
}

// needsDelta reports whether a class needs a δ, which TestChoiceEnds does not state.
func needsDelta(class string) bool {
	return class == model.Logistic || strings.HasPrefix(class, model.CardAndTree{}.Name())
}

// The choice is a function of the schema, ε and the stated rows: a card or a tree if there are many
// rows per attribute, and a smaller class for fewer rows or a smaller ε.
func TestChoiceRule(t *testing.T) {
	const either = "card-or-tree --depth 4"
	const newton = either + " --mechanism newton"
	for _, c := range []struct {
		attributes, categories int
		rows                   int64
		epsilon, delta, want   string
	}{
		{3, 3, 0, "1", "0", "tree --depth 5"},
		{3, 3, 0, "0.0152", "0", "tree --depth 4 --risk 0"},
		{3, 3, 0, "0.0153", "0", "tree --depth 4"},
		{3, 3, 2000, "1", "0", "tree --depth 5"},
		{3, 3, 1999, "1", "0", "tree --depth 4"},
		{3, 3, 20_000, "0.1", "0", "tree --depth 5"},
		{3, 3, 20_000, "0.0999", "0", "tree --depth 4"},
		{3, 6, 20_000, "1", "0", newton},
		{3, 6, 11_999, "1", "0", either},
		{3, 6, 12_000, "1", "0", newton},
		{3, 6, 0, "1", "0", "ranked-tree --depth 5"},
		{4, 3, 20_000, "1", "0", "tree --depth 5"},
		{10, 6, 5000, "1", "0", either},
		{10, 6, 4999, "1", "0", "ranked-tree --depth 4"},
		{10, 6, 2999, "1", "0", "ranked-tree --depth 4"},
		{10, 6, 1999, "1", "0", "tree --depth 4"},
		{10, 6, 999, "1", "0", "tree --depth 4"},
		{10, 6, 499, "1", "0", "union:sparse,tree --attributes 2 --depth 4 --risk 0"},
		{10, 4, 1000, "1", "0", "tree --depth 4"},
		{10, 4, 999, "1", "0", "union:sparse,tree --attributes 3 --depth 4 --risk 0"},
		{9, 3, 999, "1", "0", "union:sparse,tree --attributes 4 --depth 4 --risk 0"},
		{5, 2, 999, "1", "0", "tree --depth 4"},
		{14, 16, 499, "1", "0", "tree --depth 3 --risk 0"},
		{100, 3, 1999, "1", "0", "tree --depth 3"},
		{100, 3, 1999, "0.1", "0", "tree --depth 3 --risk 0"},
		{100, 3, 5000, "1", "0", "ranked-tree --depth 3"},
		{100, 3, 49_999, "1", "0", "ranked-tree --depth 2"},
		{100, 3, 50_000, "1", "0", "card-or-tree --depth 2"},
		{60, 3, 240_000, "1", "0", "card-or-tree --depth 2 --mechanism newton"},
		{128, 600, 512_000, "1", "0", "naive-bayes --mechanism newton"},
		{300, 5, 1_000_000, "0.1499", "0", "naive-bayes"},
		{300, 5, 1_000_000, "0.15", "0", "naive-bayes --mechanism weighted"},
		{2, 65535, 999, "1", "0", "naive-bayes"},
		{1, 1, 1000, "1", "0", "naive-bayes"},
		{3, 3, 1000, "1", "1e-6", "card-and-tree --depth 4"},
		{3, 3, 1_000_000, "1", "1e-6", "card-and-tree --depth 4"},
		{10, 6, 5000, "1", "1e-6", "card-and-tree --depth 4"},
		{100, 3, 5000, "0.1", "1e-6", "card-and-tree --depth 3"},
		{100, 3, 50_000, "0.1", "1e-6", "card-and-tree --depth 2"},
		{300, 5, 1_000_000, "0.1", "1e-6", "logistic"},
		{2, 65535, 999, "1", "1e-6", "logistic"},
		{10, 6, 20_000, "1", "1e-6", newton},
		{100, 6, 100_000, "1", "1e-6", "card-or-tree --depth 2 --mechanism newton"},
		{20, 30, 100_000_000, "1", "1e-6", "naive-bayes --mechanism newton"},
	} {
		r := Request{Schema: shaped(t, c.attributes, c.categories), Epsilon: decimal(t, c.epsilon), Delta: decimal(t, c.delta), Rows: c.rows}
		choice, err := r.Choose()
		if err != nil || choice.Taken().Class != c.want {
			t.Errorf("%+v: %v is taken, %v", c, choice.Taken(), err)
		}
	}
}

// alikeSchema returns a labelled schema in which the given number of attributes have the same categories, and other
// attributes have two categories of their own.
func alikeSchema(t testing.TB, attributes, categories, others int) *table.Schema {
	t.Helper()
	s := shaped(t, 2*attributes, categories)
	for j := range attributes {
		s.Attributes[j] = s.Attributes[2*j]
	}
	s.Attributes = s.Attributes[:attributes]
	for j := range others {
		name := fmt.Sprint("o", j)
		s.Attributes = append(s.Attributes, table.Attribute{Name: name, Column: name, Values: []string{name, "not " + name}})
	}
	return s
}

// If most attributes have the same categories, unions with sum scores are chosen up to the number of rows from which
// other classes rank rows better. They are also chosen if there is a δ, which the release then does not use.
func TestChoiceOfSumScores(t *testing.T) {
	const union = "union:sum-score,sparse,tree"
	for _, c := range []struct {
		attributes, categories, others int
		rows                           int64
		delta, risk                    string
		want                           string
	}{
		{9, 3, 0, 999, "0", "", union + " --attributes 4 --depth 4 --risk 0"},
		{9, 3, 0, 999, "1e-6", "", union + " --attributes 4 --depth 4 --risk 0"},
		{9, 3, 0, 1000, "0", "", union + " --attributes 4 --depth 4 --risk 0.2"},
		{9, 3, 0, 999, "0", "0.3", union + " --attributes 4 --depth 4 --risk 0.2"},
		{9, 3, 4, 999, "0", "", union + " --attributes 4 --depth 4 --risk 0"},
		{9, 3, 5, 999, "0", "", "union:sparse,tree --attributes 4 --depth 4 --risk 0"},
		{4, 4, 0, 999, "0", "", union + " --attributes 4 --depth 4 --risk 0"},
		{3, 4, 0, 999, "0", "", "tree --depth 4"},
		{60, 2, 0, 1000, "0", "", union + " --attributes 2 --depth 4 --risk 0.2"},
		{200, 2, 0, 1000, "0", "", "union:sum-score,tree --depth 3"},
		{9, 7, 0, 999, "0", "", union + " --attributes 2 --depth 4 --risk 0"},
		{9, 8, 0, 499, "0", "", "union:sparse,tree --attributes 2 --depth 4 --risk 0"},
		{9, 3, 0, 1999, "1e-6", "", union + " --attributes 4 --depth 4 --risk 0.2"},
		{9, 3, 0, 4499, "0", "", union + " --attributes 4 --depth 4 --risk 0.2"},
		{7, 2, 0, 100_000, "0", "", "union:sum-score,tree --depth 5"},
	} {
		r := Request{Schema: alikeSchema(t, c.attributes, c.categories, c.others), Epsilon: decimal(t, "1"), Delta: decimal(t, c.delta), Rows: c.rows}
		if c.risk != "" {
			share := decimal(t, c.risk)
			r.Risk = &share
		}
		choice, err := r.Choose()
		if err != nil || choice.Taken().Class != c.want {
			t.Errorf("%+v: %v is taken, %v", c, choice.Taken(), err)
			continue
		}
		p, err := r.Prepare()
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if unused := strings.HasSuffix(choice.Taken().Why, "it does not use the δ"); !p.Guarantee.Delta.IsZero() || unused != (c.delta != "0") {
			t.Errorf("%+v: δ = %v, since %s", c, p.Guarantee.Delta, choice.Taken().Why)
		}
		if c.risk != "" && p.Risks != decimal(t, c.risk) {
			t.Errorf("%+v: %v for risks", c, p.Risks)
		}
		if p.Effort.Seconds > mostSeconds || p.searches() {
			t.Errorf("%+v: %+v", c, p.Effort)
		}
	}
	for want, r := range map[string]Request{
		"card-or-tree --depth 4 --sum-scores true":     {Rows: 4500},
		"card-or-tree --depth 4 --mechanism newton":    {Rows: 50_000},
		"card-and-tree --depth 4":                      {Rows: 1000, Epsilon: decimal(t, "2"), Delta: decimal(t, "1e-6")},
		union + " --attributes 4 --depth 4 --risk 0.2": {Rows: 999, Epsilon: decimal(t, "5"), Delta: decimal(t, "1e-6")},
		"ranked-tree --depth 5":                        {}, // the rule assumes 32,768 rows
	} {
		if r.Schema = alikeSchema(t, 9, 3, 0); r.Epsilon.IsZero() {
			r.Epsilon = decimal(t, "1")
		}
		if choice, err := r.Choose(); err != nil || choice.Taken().Class != want {
			t.Errorf("%+v is taken, not %s, %v", choice.Taken(), want, err)
		}
	}
	newton := Request{Schema: alikeSchema(t, 9, 3, 0), Epsilon: decimal(t, "1"), Rows: 50_000}
	if err := newton.Name("card-or-tree --sum-scores true --mechanism newton"); err != nil {
		t.Fatal(err)
	}
	if _, err := newton.Prepare(); err == nil || !strings.Contains(err.Error(), "newton does not support --sum-scores") {
		t.Error(err)
	}
	r := Request{Schema: alikeSchema(t, 9, 3, 0), Epsilon: decimal(t, "1"), Delta: decimal(t, "1"), Rows: 500}
	if _, err := r.Choose(); err == nil || !strings.Contains(err.Error(), "--delta 1 must be below 1") {
		t.Errorf("an invalid δ: %v", err)
	}
}

// Under add-remove half as many rows suffice, and persons count like rows. Other classes are chosen for inputs that
// weighted cards do not support: costs, more than two classes, and more rows than they can sum in time.
func TestChoiceOfWeighted(t *testing.T) {
	persons := shaped(t, 6, 3)
	persons.Person = &table.Person{Column: "id", Most: 2}
	three := shaped(t, 40, 6)
	three.Label = graded(t).Label
	for want, r := range map[string]Request{
		"card-or-tree --depth 4":                    {Schema: shaped(t, 10, 6), Rows: 2500, Relation: privacy.AddRemove},
		"naive-bayes --mechanism weighted":          {Schema: shaped(t, 300, 5), Rows: 500_000},
		"tree --depth 4":                            {Schema: shaped(t, 10, 6), Rows: 20_000, Costs: learn.Loss{FalsePositive: 1, FalseNegative: 2}},
		"ranked-tree --depth 4":                     {Schema: shaped(t, 10, 6), Rows: 1000, Relation: privacy.AddRemove},
		"tree --depth 3":                            {Schema: shaped(t, 100, 3), Rows: 250, Relation: privacy.AddRemove},
		"card-or-tree --depth 4 --mechanism newton": {Schema: persons, Rows: 30_000, Relation: privacy.ReplaceOne.OfPersons(2)},
		"tree --depth 2":                            {Schema: three, Rows: 500_000},
		"naive-bayes --mechanism newton":            {Schema: shaped(t, 14, 7), Rows: 2_000_000_000},
		"naive-bayes":                               {Schema: shaped(t, 300, 7), Rows: 2_000_000_000},
	} {
		r.Epsilon = decimal(t, "1")
		choice, err := r.Choose()
		if err != nil || choice.Taken().Class != want {
			t.Errorf("%v is taken, not %s, %v", choice.Taken(), want, err)
			continue
		}
		if _, err := r.Prepare(); err != nil {
			t.Error(err)
		}
	}
}

// With few rows, risks are not released by default, but a stated share of ε for them is kept.
func TestChoiceKeepsRisk(t *testing.T) {
	share := decimal(t, "0.3")
	for _, c := range []struct {
		risk  *privacy.Decimal
		class string
		risks string
	}{{nil, "union:sparse,tree --attributes 3 --depth 4 --risk 0", "0"}, {&share, "tree --depth 4", "0.3"}} {
		r := Request{Schema: shaped(t, 10, 4), Epsilon: decimal(t, "1"), Rows: 499, Risk: c.risk}
		choice, err := r.Choose()
		if err != nil || choice.Taken().Class != c.class {
			t.Errorf("%v is taken, not %s, %v", choice.Taken(), c.class, err)
			continue
		}
		if p, err := r.Prepare(); err != nil || p.Risks != decimal(t, c.risks) {
			t.Errorf("%s: %v for risks, want %s, %v", c.class, p.Risks, c.risks, err)
		}
	}
}

// TestWhyNoWeights checks the reasons for not choosing weighted cards.
func TestWhyNoWeights(t *testing.T) {
	for want, f := range map[string]facts{
		"the number of rows is not stated":                          {rows: usualRows, records: 1000},
		"at most 128 distinct records are possible, so trees":       {rows: 1000, stated: true, records: 128},
		"there are too few rows for these attributes at this ε, so": {rows: 1000, stated: true, records: 129},
	} {
		if got := f.whyNoWeights(); !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}

// The choice names a class as flags do. Inputs that cannot be learned are refused as for a named
// class.
func TestChoiceRefuses(t *testing.T) {
	for _, c := range candidates {
		if err := CheckName(c.class); err != nil {
			t.Error(err)
		}
	}
	for want, r := range map[string]Request{
		"--epsilon 0 is outside":    {Schema: parseSchema(t)},
		"has no [label]":            {Schema: &table.Schema{}, Epsilon: decimal(t, "1")},
		"--rows -1 is outside":      {Schema: parseSchema(t), Epsilon: decimal(t, "1"), Rows: -1},
		"--delta 1 must be below 1": {Schema: parseSchema(t), Epsilon: decimal(t, "1"), Delta: decimal(t, "1")},
	} {
		if _, err := r.Choose(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, without %q", err, want)
		}
	}
}

// Request.Name parses a class, its parameters and the mechanism in the syntax of the flags.
func TestName(t *testing.T) {
	var r Request
	for _, c := range [][2]string{
		{"tree --depth 3", `{"name":"tree","depth":3}`},
		{"union:sparse,tree --depth 3 --attributes 1", `"members":[{"class":{"name":"sparse","attributes":1,"draws":1,"points":1,"threshold":1},"penalty":`},
		{"scorecard --points 0..2 --mechanism rspm --noise cube --risk 0", `{"name":"scorecard","points":[0,2],"threshold":1,"penalty":0,"most_attributes":0,"monotone":[]}`},
	} {
		r = Request{Schema: parseSchema(t), Epsilon: decimal(t, "1")}
		if err := r.Name(c[0]); err != nil {
			t.Error(err)
			continue
		}
		p, err := r.Prepare()
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := p.model(nil).Describe(p.Risks)
		if err != nil || !strings.Contains(strings.Join(strings.Fields(string(text)), ""), c[1]) {
			t.Errorf("%s: %s, %v", c[0], text, err)
		}
	}
	if r.Risk == nil || !r.Risk.IsZero() || r.Mechanism.(*mechanisms.RSPM).Noise != "cube" {
		t.Error("a risk or a parameter of the mechanism is lost")
	}
	for words, want := range map[string]string{
		"":                       `"" is not a known class; it must be one of scorecard, `,
		"forest":                 `"forest" is not a known class; `,
		"tree --depth":           "each written --name value",
		"tree,sparse":            "write several classes as a union",
		"union:":                 `"" is not a known class; `,
		"union:tree,svm":         "svm cannot be a member of a union; ",
		"tree depth 3":           `"depth" is not a parameter of the class or of its mechanism`,
		"tree --points 0..2":     `"--points" is not a parameter of the class or of its mechanism`,
		"tree --depth x":         `--depth "x"`,
		"tree --mechanism rspm":  "--mechanism ",
		"tree --risk much":       "",
		"scorecard --noise cube": `"--noise" is not a parameter of the class or of its mechanism`,
	} {
		if err := CheckName(words); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, without %q", words, err, want)
		}
		if err := r.Name(words); err == nil {
			t.Errorf("%q is taken", words)
		}
	}
}
