package release

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/privacy"
)

// others returns JSON values to replace a value with.
func others(value string) (all []string) {
	if value == "[]" {
		return []string{`["exact-oracle"]`, `["float-bound"]`}
	}
	text, quoted := strings.CutPrefix(value, `"`)
	text = strings.TrimSuffix(text, `"`)
	add := func(text string) {
		if quoted {
			text = `"` + text + `"`
		}
		if text != value {
			all = append(all, text)
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		for _, word := range words {
			add(word)
		}
		return append(all, `""`)
	}
	one := big.NewRat(1, 1)
	for _, v := range []*big.Rat{
		new(big.Rat), one, new(big.Rat).Add(r, one), new(big.Rat).Sub(r, one), new(big.Rat).Neg(r),
		new(big.Rat).Add(r, r), new(big.Rat).Quo(r, big.NewRat(2, 1)), new(big.Rat).Mul(r, big.NewRat(999, 1000)),
	} {
		if strings.Contains(text, "/") {
			add(v.RatString())
			continue
		}
		written := v.FloatString(20)
		written = strings.TrimSuffix(strings.TrimRight(written, "0"), ".")
		add(written)
	}
	return append(all, "null")
}

// words lists the possible words in the fields of a mechanism or guarantee.
var words = []string{
	"exponential", "rspm", "opdisc", "prsma", "boost", "statistical", "weighted", "dpsgd", "opsamp", "none (not private)", "magic",
	"laplace", "cube", "gauss", "search", "exhaustive", "transform", "toulbar2", "clasp", "cbc", "highs",
	"one-hot", "reference", "binary", "logistic", "hinge", "squared", "replace", "add-remove", "replace-person-2", "replace-person-3", "add-remove-person-3", "exact-oracle", "float-bound",
}

// A pardon permits a change of a field for the named mechanisms, because the changed claim is
// weaker or does not concern privacy.
type pardon struct {
	mechanisms, path, why string
	when                  func(from, to string) bool
}

const perturbing = "rspm opdisc prsma"

var pardons = []pardon{
	{"exponential boost rspm opdisc prsma", ".mechanism.loss.false_negative", "only the greater cost counts", func(_, to string) bool { return !above(to, "3") && above(to, "0") }},
	{"rspm", ".mechanism.loss.false_positive", "only the greater cost counts", func(from, to string) bool { return from == "1" && to == "2" }},
	{"exponential", ".mechanism.series.round", "all rounds promise the same", free},
	{"exponential", ".mechanism.series.batch", "each row is in one batch, however long", free},
	{"exponential", ".mechanism.box.ridge", "a charge that is public", free},
	{"exponential", ".mechanism.columns", "the rate is that of a row's number of columns", free},
	{"weighted", ".mechanism.groups", "one card is drawn, however attributes are grouped", free},
	{"weighted", ".mechanism.vectors", "one card is drawn, from however many vectors of weights", free},
	{"boost", ".mechanism.boost.parts", "each row is in one part, however many", free},
	{"boost", ".mechanism.boost.rows", "each row is in one part, however many", free},
	{"boost", ".mechanism.boost.validation", "each row is in one part, however many", free},
	{perturbing, ".mechanism.oracle", "an oracle that is worth as much", alike},
	{perturbing, ".mechanism.grid", "a grid of the same shift", func(from, to string) bool { return near(from, to, "1/5") }},
	{"prsma", ".mechanism.node_budget", "it holds however the oracle fails", func(_, to string) bool { return above(to, "0") }},
	{"prsma", ".mechanism.plan.rows", "smaller parts", func(from, to string) bool { return !above(to, from) || near(from, to, "1/100") }},
	{"newton", ".guarantee.epsilon", "ρ implies a greater ε, or the same with rounding", func(from, to string) bool { return above(to, from) || near(from, to, "1/100") }},
	{"newton", ".guarantee.delta", "ρ implies a greater δ, or the same with rounding", func(from, to string) bool { return above(from, "0") && (above(to, from) || near(from, to, "1/100")) }},
	{"newton", ".risks.epsilon", "ρ implies the greater ε that risks of a smaller ε leave", fewer},
	{"dpsgd", ".guarantee.epsilon", "a greater ε", func(from, to string) bool { return above(to, from) }},
	{"dpsgd", ".guarantee.delta", "a greater δ, or what the search for σ² left", func(from, to string) bool { return above(to, from) || near(from, to, "1/100") }},
	{"dpsgd", ".guarantee.relation", "a gradient that comes or goes is half of one that is replaced", func(_, to string) bool { return to == "add-remove" }},
	{"dpsgd", ".mechanism.sigma2", "more noise, or what the search for it left", func(from, to string) bool { return above(to, from) || near(from, to, "1/100") }},
	{"dpsgd", ".mechanism.columns", "the norm of a gradient is cut on any columns", free},
	{"dpsgd", ".mechanism.descent.rate", "a step is computed from what was released", free},
	{"dpsgd", ".mechanism.descent.batch", "a step is computed from what was released", free},
	{"dpsgd", ".mechanism.descent.share", "fewer rows", fewer},
	{"dpsgd", ".mechanism.descent.clip", "a smaller gradient", fewer},
	{"dpsgd", ".mechanism.descent.steps", "fewer steps", fewer},
	{"dpsgd", ".mechanism.descent.tree", "a tree that was sampled with a smaller ε", fewer},
	{"dpsgd", ".mechanism.descent.grid", "a smaller gradient, in steps of the grid", func(from, to string) bool { return above(from, to) || near(from, to, "1/100") }},
}

func free(string, string) bool   { return true }
func fewer(from, to string) bool { return above(from, to) }

// above reports whether a exceeds b.
func above(a, b string) bool {
	x, ok := new(big.Rat).SetString(a)
	y, okay := new(big.Rat).SetString(b)
	return ok && okay && x.Cmp(y) > 0
}

// near reports whether to differs from from by at most the given fraction.
func near(from, to, share string) bool {
	x, _ := new(big.Rat).SetString(from)
	y, ok := new(big.Rat).SetString(to)
	s, _ := new(big.Rat).SetString(share)
	return ok && s.Mul(s, x).Cmp(y.Sub(y, x).Abs(y)) >= 0
}

// alike reports whether guarantees by the two oracles rest on the same assumptions.
func alike(from, to string) bool {
	for _, worth := range [][]string{{"search", "exhaustive", "transform"}, {"toulbar2", "clasp"}, {"cbc", "highs"}} {
		if slices.Contains(worth, from) {
			return slices.Contains(worth, to)
		}
	}
	return false
}

// promising returns models with a guarantee, one for each mechanism, variant and relation.
func promising(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, text := range oldModels(t) {
		m, err := mechanism.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		// The noise of opsamp has the bound of the whole box, whatever its parameters. Old descents over all rows have more
		// noise than is needed.
		whole := m.Mechanism.Name == mechanism.DPSGDName && bytes.Contains(text, []byte(`"share": "1"`))
		if m.Guarantee != nil && m.Mechanism.Name != "opsamp" && !whole {
			all[fmt.Sprintf("%s %+v", m.Mechanism.Parameters, m.Guarantee)] = text
		}
	}
	for _, v := range variants() {
		all[v.name+" "+v.relation.String()] = prepared(t, v.request(t, plain)).written(t)
	}
	for _, v := range []variant{variants()[0], variants()[3], variants()[6]} {
		share, ask := decimal(t, "0.25"), v.request(t, plain)
		ask.Risk = &share
		all["risks, "+v.name+" "+v.relation.String()] = releasedText(t, prepared(t, ask))
	}
	for _, v := range []variant{variants()[0], variants()[1], variants()[6], variants()[8]} {
		ask := v.request(t, plain)
		ask.Schema = parseSchema(t)
		ask.Schema.Person = &table.Person{Column: "who", Most: 3}
		all["persons, "+v.name+" "+v.relation.String()] = prepared(t, ask).written(t)
	}
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for _, form := range []model.Form{model.Additive{Kind: model.Logistic, Scale: 40}, model.CardAndTree{Scale: 40, Depth: 1}} {
			v := variant{"dpsgd " + form.Name(), func() mechanism.Mechanism { return mechanism.NewDPSGD() }, "1e-6", r, 10}
			ask := v.request(t, form)
			ask.Costs = learn.Loss{}
			all[v.name+" "+r.String()] = releasedText(t, prepared(t, ask))
		}
		for _, kind := range []string{model.Logistic, model.SVM, model.LeastSquares} {
			v := variant{"opsamp " + kind, func() mechanism.Mechanism {
				return &mechanisms.OPSamp{Columns: mechanism.Columns{Columns: "one-hot"}, Bound: 1, Minimisers: 50_000, Rate: "0.00001", Slack: "2"}
			}, "1e-7", r, 900}
			ask := v.request(t, model.Additive{Kind: kind, Scale: 40})
			ask.Costs = learn.Loss{}
			all[v.name+" "+r.String()] = prepared(t, ask).written(t)
		}
	}
	return all
}

// releasedText returns the text of a model that is released from ten rows.
func releasedText(t *testing.T, p *Prepared) []byte {
	t.Helper()
	w := &world{t: t, rows: 10}
	if _, err := p.Release(t.Context(), w, Terms{Publish: w.terms().Publish}); err != nil {
		t.Fatal(err)
	}
	return w.published[0]
}

// Read refuses a model if any one number or word of its guarantee or mechanism is changed or
// removed, or if a field is added, except for permitted changes and omitted zero values. The short
// form tests a twentieth of the changes, and a third of the other cases, chosen by a fixed seed.
func TestEveryLeaf(t *testing.T) {
	used := make([]int, len(pardons))
	read := func(text []byte) error { _, err := mechanism.Read(bytes.NewReader(text)); return err }
	models, random := promising(t), rand.New(rand.NewPCG(1, 1))
	for _, name := range slices.Sorted(maps.Keys(models)) {
		text := models[name]
		m, err := mechanism.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, l := range leaves(t, text) {
			if !strings.HasPrefix(l.path, ".mechanism.") && !strings.HasPrefix(l.path, ".guarantee.") && l.path != ".risks.epsilon" {
				continue
			}
			from := string(text[l.from:l.end])
			for _, to := range others(from) {
				if !heavy.On() && random.IntN(20) > 0 {
					continue
				}
				if read(slices.Concat(text[:l.from], []byte(to), text[l.end:])) != nil {
					continue
				}
				at := slices.IndexFunc(pardons, func(p pardon) bool {
					return p.path == l.path && slices.Contains(strings.Fields(p.mechanisms), m.Mechanism.Name) && p.when(strings.Trim(from, `"`), strings.Trim(to, `"`))
				})
				if at < 0 {
					t.Errorf("a model of %s is read with %s in place of %s in %s of\n%s", m.Mechanism.Name, to, from, l.path, text)
					continue
				}
				used[at]++
			}
			if l.key < 0 || !heavy.On() && random.IntN(3) > 0 {
				continue
			}
			before, after := bytes.TrimRight(text[:l.key], " \n"), bytes.TrimLeft(text[l.end:], " \n")
			if after[0] == ',' {
				after = after[1:]
			} else {
				before = bytes.TrimRight(before, ",")
			}
			if l.path == ".mechanism.charged" && m.Mechanism.Name == mechanism.DPSGDName {
				continue // files of earlier versions have no such key
			}
			if m, err := mechanism.Read(bytes.NewReader(slices.Concat(before, after))); err == nil {
				again, err := m.Text()
				if from != "[]" && from != `"0"` || err != nil || !bytes.Equal(again, text) {
					t.Errorf("a model of %s is read without its %s, and written, %v, as\n%s", m.Mechanism.Name, l.path, err, again)
				}
			}
			if read(slices.Concat(text[:l.key], []byte(`"colour": 1, `), text[l.key:])) == nil {
				t.Errorf("a model of %s is read with a colour beside its %s", m.Mechanism.Name, l.path)
			}
		}
	}
	for i, n := range used {
		if n == 0 && heavy.On() {
			t.Errorf("no model needs the pardon %+v", pardons[i])
		}
	}
}

// Each number of a guarantee is recomputed from the mechanism's parameters. The error names a
// number that differs.
func TestRecomputed(t *testing.T) {
	old := oldModels(t)
	texts := map[string][]byte{"prsma": old["prsma"]}
	for _, v := range variants() {
		if texts[v.name] == nil && !strings.HasPrefix(v.name, "prsma") {
			texts[v.name] = prepared(t, v.request(t, plain)).written(t)
		}
	}
	for _, c := range []struct {
		variant string
		old, by string
		says    string
	}{
		{"exponential", `"epsilon": "4"`, `"epsilon": "2"`, `"rate" is 2/3, but for the stated epsilon of 2 it must be 1/3`},
		{"exponential", `"rate": "2/3"`, `"rate": "4/6"`, "the mechanism's key \"rate\" is 4/6"},
		{"exponential", `"rate": "2/3"`, `"rate": "-2/3"`, "the mechanism's key \"rate\" is"},
		{"exponential", `"replace"`, `"add-remove"`, "the mechanism's key \"rate\" is"},
		{"exponential", `"delta": "0"`, `"delta": "1e-6"`, "a delta of 0, but the guarantee states 4 and 0.000001"},
		{"exponential", `"assumes": []`, `"assumes": ["exact-oracle"]`, `the guarantee states the assumptions ["exact-oracle"]`},
		{"exponential", `"epsilon": "4"`, `"epsilon": "0"`, "positive epsilon"},
		{"exponential", `"name": "exponential"`, `"name": "statistical"`, "does not support the class"},
		{"exponential", `"name": "exponential"`, `"name": "magic"`, `mechanism "magic" is unknown`},
		{"exponential", `"name": "exponential"`, `"name": "boost"`, "the mechanism does not give the stated guarantee"},
		{"exponential", `"name": "exponential"`, `"name": "none (not private)"`, "but its mechanism gives none"},
		{"exponential", `"false_positive": 3`, `"false_positive": 0`, "the mechanism does not give the stated guarantee"},
		{"exponential", `"rate": "2/3"`, `"rate": "2/3", "grid": 16`, `the mechanism is malformed: unknown key "grid"`},
		{"exponential", `"rate": "2/3"`, `"rate": "2/3", "sample": null`, "the mechanism is malformed: the value at sample must be an object, but is null"},
		{"exponential", `"rate": "2/3"`, `"rate": 0.5`, "the mechanism is malformed: the value at rate must be a string, but is a number"},
		{"rspm gauss", `"delta": "0.000001"`, `"delta": "0.0000001"`, `the mechanism's key "sigma2" is`},
		{"rspm gauss", `"delta": "0.000001"`, `"delta": "0"`, "the mechanism does not give the stated guarantee"},
		{"rspm gauss", `"noise": "gauss"`, `"noise": "cube"`, "the mechanism's key \"rate\" is absent"},
		{"rspm laplace", `"noise": "laplace"`, `"noise": "pink"`, "pink"},
		{"rspm laplace", `"oracle": "search"`, `"oracle": "clasp"`, `the guarantee states the assumptions []`},
		{"rspm laplace", `"oracle": "search"`, `"oracle": "oracle"`, `"oracle" is unknown`},
		{"sample", `"size": 70`, `"size": 71`, "give an epsilon of"},
		{"sample", `"size": 70`, `"size": 70, "rate": "0.01"`, "not both"},
		{"sample", `"epsilon": "4"`, `"epsilon": "3"`, "give an epsilon of 4"},
		{"sample rate", `"rate": "0.125"`, `"rate": "0.0625"`, "give an epsilon of"},
		{"sample rate", `"rate": "0.125"`, `"size": 3, "rate": "0.125"`, "not both"},
		{"prsma", `"delta": "0.00999999861"`, `"delta": "0.001"`, "give an epsilon of"},
		{"prsma", `"epsilon": "3.99992061"`, `"epsilon": "1"`, "give an epsilon of"},
		{"prsma", `"oracle": "search"`, `"oracle": "clasp"`, "not verified"},
		{"prsma", `"oracle": "search"`, `"oracle": "cbc"`, "the guarantee states the assumptions []"},
		{"prsma", `"node_budget": 5000`, `"node_budget": 0`, "node budget"},
		{"prsma", `"node_budget": 5000`, `"node_budget": -1`, "node budget"},
	} {
		refused(t, c.variant, edited(t, texts[c.variant], c.old, c.by), c.says)
	}
	series := old["online-scorecard-model-0002"]
	for _, c := range [][3]string{
		{`"epsilon": "1"`, `"epsilon": "0.5"`, "give an epsilon of 1"},
		{`"rounds": 2`, `"rounds": 3`, "give an epsilon of 1.5"},
		{`"rounds": 2`, `"rounds": 0`, "the number of rounds of the series is 0, but must be 1.."},
		{`"rounds": 2`, `"rounds": 10001`, "the number of rounds of the series is 10001, but must be 1.."},
		{`"round": 2`, `"round": 0`, "the round of the series is 0, but must be 1 to 3"},
		{`"round": 2`, `"round": 4`, "the round of the series is 4, but must be 1 to 3"},
		{`"batch": 1000`, `"batch": 0`, "the maximum number of examples of a round is 0"},
		{`"series":`, `"sample": {"rate": "1", "epsilon": "0.5"}, "series":`, "both of the keys \"sample\" and \"series\""},
	} {
		refused(t, "series", edited(t, series, c[0], c[1]), c[2])
	}
	removed := edited(t, edited(t, series, `"replace"`, `"add-remove"`), `"rate": "1/4"`, `"rate": "1/2"`)
	refused(t, "series", removed, "must be replace-one, but is add-remove")
}

// If the noise depends on the separator, a class with another separator is refused.
func TestSeparatorRecomputed(t *testing.T) {
	v := variants()[1]
	for name, forms := range samples() {
		p := prepared(t, v.request(t, forms[0]))
		text := p.written(t)
		m, err := mechanism.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, other := range forms[1:] {
			own := *m
			own.Form, own.Space = other, nil
			if err := own.Validate(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := mechanism.Check(&own); err == nil {
				t.Errorf("%s: a model of %+v is valid", name, other)
			}
		}
	}
}

// Read accepts the output of every mechanism with every form. The guarantee does not exceed the
// requested budget.
func TestPreparedIsRead(t *testing.T) {
	for name, forms := range samples() {
		for _, v := range variants() {
			if strings.HasPrefix(v.name, "prsma") && name != "union" {
				continue // its plan takes a second and is the same for all forms
			}
			ask := v.request(t, forms[0])
			ask.Schema, ask.Risk = parseSchema(t), &privacy.Decimal{}
			p, err := ask.Prepare()
			if err != nil {
				if !strings.Contains(err.Error(), "--distance requires") {
					t.Errorf("%s by %s: %v", name, v.name, err)
				}
				continue
			}
			if _, err := mechanism.Read(bytes.NewReader(p.written(t))); err != nil {
				t.Errorf("%s by %s: %v", name, v.name, err)
			}
			if g := p.Guarantee; g.Epsilon.Rat().Cmp(big.NewRat(4, 1)) > 0 || g.Delta.Rat().Cmp(decimal(t, v.delta).Rat()) > 0 || g.Relation != v.relation || len(g.Assumes) != 0 {
				t.Errorf("%s by %s promises %+v", name, v.name, g)
			}
		}
	}
}

// The rate of a box follows from the range of its loss, which the scale and the bound determine.
func TestBoxRecomputed(t *testing.T) {
	text := prepared(t, Request{
		Form: model.Additive{Kind: model.SVM, Scale: 40}, Mechanism: &mechanism.Box{Columns: mechanism.Columns{Columns: "one-hot"}, Bound: 2, Ridge: 1}, Epsilon: decimal(t, "1.5"),
	}).written(t)
	refused(t, "svm", edited(t, text, `"scale": 40`, `"scale": 1`), "the mechanism's key \"rate\" is")
	refused(t, "svm", edited(t, text, `"bound": 2`, `"bound": 3`), "the mechanism's key \"rate\" is")
	refused(t, "svm", edited(t, text, `"name": "svm"`, `"name": "logistic"`), "the mechanism's key \"rate\" is")
}

// The rate of a sample from a tractable class follows from its loss and its relation.
func TestGibbsRecomputed(t *testing.T) {
	text := oldModels(t)["tree"]
	refused(t, "tree", edited(t, text, `"rate": "1/4"`, `"rate": "1/2"`), "the mechanism's key \"rate\" is 1/2, but for the stated epsilon of 0.5 it must be 1/4")
	refused(t, "tree", edited(t, text, `"false_negative": 1`, `"false_negative": 2`), "the mechanism's key \"rate\" is 1/4")
	refused(t, "tree", edited(t, text, `"false_negative": 1`, `"false_negative": 0`), "the cost of a misclassification is 0")
	refused(t, "tree", edited(t, text, `"replace"`, `"add-remove"`), "the mechanism's key \"rate\" is 1/4")
	refused(t, "tree", edited(t, text, `"rate": "1/4"`, `"rate": "1/4", "sample": {"rate": "1", "epsilon": "0.5"}`), `unknown key "sample"`)
	refused(t, "tree", edited(t, text, `"name": "exponential"`, `"name": "rspm"`), "does not support the class")
	refused(t, "tree", edited(t, text, `"delta": "0"`, `"delta": "0.1"`), "a delta of 0")
}

// The rates of samples in stages follow from their shares of ε. There is one rate for each sample.
func TestStagedRecomputed(t *testing.T) {
	text := oldModels(t)["sparse"]
	refused(t, "sparse", edited(t, text, `"rates": ["1/8", "1/8"]`, `"rates": ["1/4", "1/4"]`), "the mechanism's key \"rates\" is")
	refused(t, "sparse", edited(t, text, `"rates": ["1/8", "1/8"]`, `"rates": ["1/4"]`), "the mechanism's key \"rates\" is")
	refused(t, "sparse", edited(t, text, `"draws": 2`, `"draws": 3`), "the mechanism's key \"rates\" is")
	refused(t, "sparse", edited(t, text, `"false_negative": 1`, `"false_negative": 2`), "the mechanism's key \"rates\" is")
	refused(t, "sparse", edited(t, text, `"replace"`, `"add-remove"`), "the mechanism's key \"rates\" is")
	refused(t, "sparse", edited(t, text, `"delta": "0"`, `"delta": "0.1"`), "a delta of 0")
}

// The loss of OPSamp is that of the form, and its parameters must be within their bounds.
func TestAdditiveRecomputed(t *testing.T) {
	old := oldModels(t)
	for _, c := range []struct{ name, old, by, says string }{
		{"opsamp-svm", `"loss": "hinge"`, `"loss": "squared"`, `the mechanism's key "loss" is "squared", but the class "svm" requires the loss "hinge"`},
		{"opsamp-svm", `"name": "svm"`, `"name": "least-squares"`, `the mechanism's key "loss" is "hinge"`},
		{"opsamp-svm", `"name": "svm"`, `"name": "naive-bayes"`, "does not support the class"},
		{"dpsgd", `"sigma2": "`, `"sigma2": "-`, `the mechanism's key "sigma2" must be a positive integer`},
		{"dpsgd", `"sigma2": "`, `"sigma2": "1.5e`, `the mechanism's key "sigma2" must be a positive integer`},
		{"dpsgd", `"grid": 1024`, `"grid": 0`, `the mechanism's key "grid" is 0, but must be positive`},
		{"dpsgd", `"grid": 1024`, `"grid": 2048`, "does not guarantee ε"},
		{"dpsgd", `"name": "logistic"`, `"name": "svm"`, "does not support the class"},
		{"dpsgd", `"columns": "one-hot"`, `"columns": "columns"`, "columns"},
		{"naive-bayes", `"name": "naive-bayes"`, `"name": "svm"`, "does not support the class"},
		{"naive-bayes", `"epsilon": "0.5"`, `"epsilon": "0.25"`, "the mechanism's key \"rate\" is"},
	} {
		refused(t, c.name, edited(t, old[c.name], c.old, c.by), c.says)
	}
}

// A guarantee assumes exactly the known assumptions of the oracle that it names.
func TestAssumptionsOfOracles(t *testing.T) {
	exact, float := privacy.ExactOracle, privacy.FloatBound
	of := map[string][]privacy.Assumption{
		"search": {}, "exhaustive": {}, "transform": {},
		"toulbar2": {exact}, "clasp": {exact}, "cbc": {exact, float}, "highs": {exact, float},
	}
	if len(of) != len(mechanisms.Oracles()) {
		t.Fatalf("there are the oracles %v", mechanisms.Oracles())
	}
	for _, v := range variants()[1:6] {
		m, err := mechanism.Read(bytes.NewReader(prepared(t, v.request(t, plain)).written(t)))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range of {
			m.Mechanism.Parameters = bytes.Replace(m.Mechanism.Parameters, []byte(`"oracle":"search"`), []byte(fmt.Sprintf("%q:%q", "oracle", name)), 1)
			for _, assumes := range [][]privacy.Assumption{{}, {exact}, {float}, {exact, float}, {float, exact}} {
				m.Guarantee.Assumes = assumes
				if err := mechanism.Check(m); (err == nil) != slices.Equal(assumes, want) {
					t.Errorf("%s by %s assumes %q: %v", v.name, name, assumes, err)
				}
			}
			m.Mechanism.Parameters = bytes.Replace(m.Mechanism.Parameters, []byte(fmt.Sprintf("%q:%q", "oracle", name)), []byte(`"oracle":"search"`), 1)
		}
	}
}

// A model without a guarantee states its mechanism and no further fields.
func TestUnpromisedIsWellFormed(t *testing.T) {
	old := oldModels(t)
	for _, c := range []struct{ name, old, by, says string }{
		{"seed", `"rate": "1/4"`, `"rate": "1/4", "colour": 1`, `unknown key "colour"`},
		{"seed", `"rate": "1/4"`, `"rate": 4`, "the value at rate must be a string, but is a number"},
		{"seed", `"false_positive": 1`, `"false_positive": -1`, "the cost of a misclassification is -1"},
		{"seed", `"name": "exponential"`, `"name": "magic"`, `mechanism "magic" is unknown`},
		{"seed", `"name": "exponential"`, `"name": "dpsgd"`, "does not support the class"},
		{"online-seed", `"round": 1`, `"round": 9`, "the round of the series is 9, but must be 1 to 3"},
		{"online-seed", `"rounds": 2`, `"rounds": 10001`, "the number of rounds of the series is 10001, but must be 1.."},
		{"optimum-scorecard", `"false_negative": 2`, `"false_negative": 0`, "the cost of a misclassification is 0"},
		{"optimum-scorecard", `"false_negative": 2`, `"false_negative": 2, "colour": 1`, `unknown key "colour"`},
	} {
		refused(t, c.name, edited(t, old[c.name], c.old, c.by), c.says)
	}
}

// FuzzRead searches for a text on which Read panics, or whose model cannot be written and read
// again.
func FuzzRead(f *testing.F) {
	for _, text := range oldModels(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := mechanism.Read(bytes.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatal(err)
			}
			return
		}
		again, err := m.Text()
		if err != nil {
			t.Fatal(err)
		}
		m, err = mechanism.Read(bytes.NewReader(again))
		if err != nil {
			t.Fatal(err)
		}
		if third, err := m.Text(); err != nil || !bytes.Equal(third, again) {
			t.Fatalf("%v: it is written as %s", err, third)
		}
		mechanism.Costs(m)
		mechanism.Place(m)
		m.Sheet()
	})
}

// With a δ, an account is charged the ρ of the Newton mechanism or of a descent, and of risks as well. Descriptions of
// earlier releases, which were charged ε and δ, still give those.
func TestCharge(t *testing.T) {
	for _, c := range []struct {
		form      model.Form
		mechanism mechanism.Mechanism
		refuses   string // the beginning of the error for a smaller δ
	}{
		{model.Additive{Kind: model.NaiveBayes, Scale: 10}, &mechanism.Newton{}, "at the stated delta, which exceeds the stated epsilon"},
		{model.Additive{Kind: model.Logistic, Scale: 10}, mechanism.NewDPSGD(), "does not guarantee ε = "},
		{model.CardAndTree{Depth: 2, Scale: 10}, mechanism.NewDPSGD(), "does not guarantee ε = "},
	} {
		v := variant{"", func() mechanism.Mechanism { return c.mechanism }, "1e-6", privacy.AddRemove, 5000}
		for _, share := range []string{"0", "0.25"} {
			ask := v.request(t, c.form)
			ask.Costs = learn.Loss{}
			if share := decimal(t, share); !share.IsZero() {
				ask.Risk = &share
			}
			p := prepared(t, ask)
			text, err := p.describe()
			if err != nil {
				t.Fatal(err)
			}
			g, err := Recompute(text)
			if err != nil || !reflect.DeepEqual(g, p.promise) {
				t.Fatalf("%v, %v, not %v", g, err, p.promise)
			}
			earlier, err := Recompute(edited(t, text, `"charged":"rho",`, ""))
			if err != nil {
				t.Fatal(err)
			}
			if s, err := privacy.State(earlier); err != nil || s.Epsilon != p.Guarantee.Epsilon || s.Delta != p.Guarantee.Delta || s.Relation != p.Guarantee.Relation || s.Epsilon.String() != "4" {
				t.Errorf("%+v, %v, not %+v", s, err, p.Guarantee)
			}
			if _, err := Recompute(edited(t, text, `"charged":"rho"`, `"charged":"epsilon"`)); err == nil || !strings.Contains(err.Error(), `the mechanism's key "charged" is "epsilon"`) {
				t.Errorf("an unknown charge: %v", err)
			}
			if _, err := Recompute(edited(t, text, `"delta":"0.000001"`, `"delta":"0.0000001"`)); err == nil || !strings.Contains(err.Error(), c.refuses) {
				t.Errorf("a δ that the noise does not imply: %v", err)
			}
			f, err := privacy.NewFilter(privacy.AddRemove, decimal(t, "10"), decimal(t, "1e-5"))
			if err != nil {
				t.Fatal(err)
			}
			now, err := f.Charge(g)
			if err != nil {
				t.Fatal(err)
			}
			before, err := f.Charge(earlier)
			if err != nil || now.Loss.Cmp(before.Loss) >= 0 || !now.Failure.IsZero() || before.Failure.String() != "0.000001" {
				t.Errorf("an account is charged %+v, and was charged %+v, %v", now, before, err)
			}
		}
	}
}
