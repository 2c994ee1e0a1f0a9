package release

import (
	"bytes"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/mechanism/mechanismtest"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

var (
	parseSchema = mechanismtest.Towns
	decimal     = privacytest.Decimal
	signs       = mechanismtest.Signs
	plain       = mechanismtest.Plain
	loss        = learn.Loss{FalsePositive: 3, FalseNegative: 2}
)

// nth returns hypothesis number n, or the last one if there are fewer.
func nth(list iter.Seq[any], n int) (last any) {
	for h := range list {
		last = h
		if n--; n < 0 {
			break
		}
	}
	return last
}

// some returns an arbitrary hypothesis of the space.
func some(s model.Space, schema *table.Schema) any {
	if c := s.Sampling().Class; c != nil {
		return nth(c.(class.Enumerable[table.Record, any]).All(), 5)
	}
	p := learn.Points{Prior: -7}
	for _, n := range schema.Sizes() {
		p.Points = append(p.Points, make([]int, n))
	}
	return p
}

// prepared prepares a request over the test's schema.
func prepared(t testing.TB, r Request) *Prepared {
	t.Helper()
	if r.Schema == nil {
		r.Schema = parseSchema(t)
	}
	if r.Risk == nil {
		r.Risk = &privacy.Decimal{}
	}
	p, err := r.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// written returns the text of a model of the release.
func (p *Prepared) written(t testing.TB) []byte {
	t.Helper()
	text, err := p.model(some(p.setting.Space, p.setting.Schema)).Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A variant is a mechanism with parameters, and further fields of a request.
type variant struct {
	name     string
	make     func() mechanism.Mechanism
	delta    string
	relation privacy.Relation
	rows     int64
}

// variants lists variants of the mechanisms that search a class.
func variants() (all []variant) {
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		all = append(all,
			variant{"exponential", func() mechanism.Mechanism { return &mechanism.Exponential{} }, "0", r, 0},
			variant{"rspm laplace", func() mechanism.Mechanism {
				return &mechanisms.RSPM{Perturbing: mechanisms.Perturbing{Oracle: "search"}, Noise: "laplace"}
			}, "0", r, 0},
			variant{"rspm cube", func() mechanism.Mechanism {
				return &mechanisms.RSPM{Perturbing: mechanisms.Perturbing{Oracle: "search", Grid: 5}, Noise: "cube"}
			}, "0", r, 0},
			variant{"rspm gauss", func() mechanism.Mechanism {
				return &mechanisms.RSPM{Perturbing: mechanisms.Perturbing{Oracle: "search"}, Noise: "gauss"}
			}, "1e-6", r, 0},
			variant{"opdisc", func() mechanism.Mechanism {
				return &mechanisms.OPDisc{Perturbing: mechanisms.Perturbing{Oracle: "search"}}
			}, "0", r, 0},
			variant{"opdisc gauss", func() mechanism.Mechanism {
				return &mechanisms.OPDisc{Perturbing: mechanisms.Perturbing{Oracle: "search"}}
			}, "1e-6", r, 0},
		)
	}
	return append(all,
		variant{"sample", func() mechanism.Mechanism { return &mechanism.Exponential{Size: 70} }, "0", privacy.ReplaceOne, 900},
		variant{"sample rate", func() mechanism.Mechanism { return &mechanism.Exponential{Rate: "0.125"} }, "0", privacy.AddRemove, 0},
		variant{"boost", func() mechanism.Mechanism { return &mechanisms.Boost{Parts: 3, Validation: 20} }, "0", privacy.ReplaceOne, 100},
		variant{"prsma laplace", func() mechanism.Mechanism {
			return &mechanisms.PRSMA{Perturbing: mechanisms.Perturbing{Oracle: "search"}, Noise: "laplace", Calls: 1e6, Nodes: 500}
		}, "0.01", privacy.ReplaceOne, 2000},
		variant{"prsma cube", func() mechanism.Mechanism {
			return &mechanisms.PRSMA{Perturbing: mechanisms.Perturbing{Oracle: "search", Grid: 7}, Noise: "cube", Calls: 1e6, Nodes: 500}
		}, "0.01", privacy.ReplaceOne, 2000},
	)
}

// request returns the request of a form by the variant.
func (v variant) request(t testing.TB, f model.Form) Request {
	return Request{
		Form: f, Costs: loss, Mechanism: v.make(), Epsilon: decimal(t, "4"), Delta: decimal(t, v.delta),
		Relation: v.relation, Rows: v.rows,
	}
}

// samples returns, for every searched form, forms with another separator whose classes contain the
// same hypotheses.
func samples() map[string][]model.Form {
	literals := model.Literals{Negated: true, Intervals: true}
	return map[string][]model.Form{
		"scorecard": {
			model.Scorecard{Points: signs, Penalty: 4, Monotone: []model.Monotone{{Attribute: "age"}}},
			model.Scorecard{Points: model.Points{Least: -1, Most: 2}}, model.Scorecard{Points: signs, Distance: 4},
		},
		"scorecard, norm": {
			model.Scorecard{Points: model.Points{Least: -2, Most: 1}, Norm: 6},
			model.Scorecard{Points: model.Points{Least: -2, Most: 1}}, model.Scorecard{Points: model.Points{Least: -2, Most: 1}, Norm: 9},
		},
		"halfspace": {
			model.Halfspace{Weights: model.Points{Least: -1, Most: 2}, Threshold: 2, Distance: 2},
			model.Halfspace{Weights: model.Points{Least: -1, Most: 2}, Distance: 4}, model.Halfspace{Weights: model.Points{Least: -2, Most: 2}, Distance: 2},
		},
		"conjunction": {model.Conjunction{Literals: literals, Distance: 2}, model.Conjunction{Literals: literals, Distance: 3}},
		"disjunction": {
			model.Conjunction{Literals: model.Literals{Negated: true, Monotone: true}, Disjunction: true},
			model.Conjunction{Literals: model.Literals{Negated: true}, Disjunction: true, Distance: 4},
		},
		"decision list": {
			model.DecisionList{Literals: literals, Rules: 2, Width: 2, Penalty: 1},
			model.DecisionList{Literals: literals, Rules: 3, Width: 2},
		},
		"parity": {
			model.Parity{Digits: true, Most: 3, Affine: true, Points: 10},
			model.Parity{Digits: true, Most: 3, Affine: true, Points: 12}, model.Parity{Digits: true, Most: 3, Affine: true},
		},
		"majority": {model.ReadOnce{Penalty: 3}},
		"nand":     {model.ReadOnce{NAND: true, Depth: 1}},
		"union": {
			model.Union{Members: []model.Member{{Form: plain, Penalty: 7}, {Form: model.Parity{}}}},
			model.UnionOf([]model.Form{plain, model.Parity{}, model.Parity{Affine: true}, model.ReadOnce{}}),
		},
	}
}

// refused checks that Read refuses a text with the given error of one sentence.
func refused(t *testing.T, name string, text []byte, says string) {
	t.Helper()
	if m, err := mechanism.Read(bytes.NewReader(text)); err == nil || m != nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %v, want %q in\n%s", name, err, says, text)
	}
}

// edited replaces a substring that must occur exactly once.
func edited(t *testing.T, text []byte, old, by string) []byte {
	t.Helper()
	if n := bytes.Count(text, []byte(old)); n != 1 {
		t.Fatalf("%q is there %d times in\n%s", old, n, text)
	}
	return bytes.Replace(text, []byte(old), []byte(by), 1)
}

// leaves lists the scalar values and empty lists of a JSON object.
func leaves(t *testing.T, text []byte) (all []leaf) {
	t.Helper()
	w := &walker{text: text}
	w.value("", -1)
	if w.at != len(text) {
		t.Fatalf("byte %d of %s", w.at, text)
	}
	return w.leaves
}

// A leaf is a value in a JSON text: its position, and the position of its key or -1.
type leaf struct {
	path           string
	key, from, end int
}

// A walker visits the values of valid JSON.
type walker struct {
	text   []byte
	at     int
	leaves []leaf
}

func (w *walker) skip(what string) {
	for w.at < len(w.text) && strings.IndexByte(what, w.text[w.at]) >= 0 {
		w.at++
	}
}

// word moves past a string, number or name, and returns it.
func (w *walker) word() string {
	from := w.at
	if w.text[w.at] == '"' {
		w.at++
		for ; w.text[w.at] != '"'; w.at++ {
			if w.text[w.at] == '\\' {
				w.at++
			}
		}
		w.at++
	} else {
		for w.at < len(w.text) && strings.IndexByte(",]} \n", w.text[w.at]) < 0 {
			w.at++
		}
	}
	return string(w.text[from:w.at])
}

func (w *walker) value(path string, key int) {
	w.skip(" \n,:")
	from := w.at
	switch w.text[from] {
	case '{':
		w.at++
		for w.skip(" \n,"); w.text[w.at] != '}'; w.skip(" \n,") {
			begin := w.at
			name := strings.Trim(w.word(), `"`)
			w.value(path+"."+name, begin)
		}
		w.at++
	case '[':
		w.at++
		n := 0
		for w.skip(" \n,"); w.text[w.at] != ']'; w.skip(" \n,") {
			w.value(fmt.Sprint(path, ".", n), -1)
			n++
		}
		w.at++
		if n == 0 {
			w.leaves = append(w.leaves, leaf{path, key, from, w.at})
		}
	default:
		w.word()
		w.leaves = append(w.leaves, leaf{path, key, from, w.at})
	}
	w.skip(" \n")
}

// Costs of misclassifications are within 1..MostLoss. The error names the one that is not.
func TestCheckCosts(t *testing.T) {
	for _, c := range []struct {
		positive, negative int64
		want               string
	}{
		{1, learn.MostLoss, ""}, {learn.MostLoss, 1, ""},
		{0, 1, "false-positive 0"}, {1, 0, "false-negative 0"},
		{learn.MostLoss + 1, 1, "false-positive"}, {1, learn.MostLoss + 1, "false-negative"},
	} {
		err := CheckCosts(learn.Loss{FalsePositive: c.positive, FalseNegative: c.negative})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
