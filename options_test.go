package sibyl

import (
	"flag"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Every parameter of a class or a mechanism has an option here, and every option is a
// parameter of what it goes with.
func TestOptionsAreParameters(t *testing.T) {
	text, err := os.ReadFile("options.go")
	if err != nil {
		t.Fatal(err)
	}
	check := func(who string, define func(*flag.FlagSet)) {
		own := flag.NewFlagSet("", flag.ContinueOnError)
		define(own)
		own.VisitAll(func(f *flag.Flag) {
			if !strings.Contains(string(text), `setting{"`+f.Name+`", `) {
				t.Errorf("no option is the parameter %s of %s", f.Name, who)
			}
		})
	}
	for _, k := range model.Kinds() {
		check(k.Name, k.Ask().Parameters)
		for _, m := range mechanism.Kinds(k) {
			check(m.Name, m.Ask().Parameters)
		}
	}
	for _, c := range []struct {
		class  Class
		params int // that go with the class and its mechanism
	}{
		{Scorecard(Points(-2, 2), Threshold(2), MostAttributes(1), Norm(3), Penalty(1), Distance(2), Rising("a"), Falling("b")), 8},
		{Halfspace(Points(-2, 2), Threshold(2), MostAttributes(1), Norm(3), Penalty(1), Distance(2)), 6},
		{Conjunction(MostAttributes(1), Penalty(1), Distance(2), Negated(), Intervals(), Positive()), 6},
		{DecisionList(Penalty(1), Negated(), Intervals(), Positive(), Rules(2), Literals(2)), 6},
		{Parity(MostAttributes(1), Penalty(1), Affine(), Digits()), 4},
		{Majority(Penalty(1), Depth(1)), 2},
		{NAND(Depth(2)), 1},
		{DecisionTree(Depth(3), ConstantWork()), 2},
		{DecisionTree(Depth(3), GradedLoss()), 2},
		{Sparse(Points(-2, 2), Threshold(2), MostAttributes(1), Draws(2)), 4},
		{NaiveBayes(Scale(7)), 1},
		{CardOrTree(Scale(7), Depth(2)), 2},
		{Logistic(Scale(7), Descent(Columns("binary"), Steps(3), Clip("1"), Share("1"), LearningRate(2))), 6},
		{Logistic(Box(Columns("binary"), Bound(3), Ridge(1))), 3},
		{Scorecard(Exponential(Sample(3), SampleRate("0.5"))), 2},
	} {
		kind, known := model.KindOf(c.class.names[0])
		if !known {
			t.Fatal(c.class.names)
		}
		takes, err := mechanism.Usual(kind)
		if c.class.mechanism != "" {
			takes, err = mechanism.Named(kind, c.class.mechanism)
		}
		if err != nil {
			t.Fatal(err)
		}
		own := flag.NewFlagSet("", flag.ContinueOnError)
		kind.Ask().Parameters(own)
		takes.Ask().Parameters(own)
		taken := 0
		for _, s := range c.class.settings {
			if err := own.Set(s.name, s.value); err != nil {
				t.Errorf("%v: %v", c.class.names, err)
			}
			taken++
		}
		if taken != c.params {
			t.Errorf("%v: %d of %d settings", c.class.names, taken, c.params)
		}
	}
}

// A label of more than two outcomes has no positive one, and no risk.
func TestOutcomes(t *testing.T) {
	s, err := table.ParseSchema("answers", strings.NewReader("[label]\ncolumn = \"late\"\nvalues = [\"no\", \"a little\", \"very\"]\n[[attribute]]\ncolumn = \"rain\"\nvalues = [\"no\", \"yes\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := NewTable(s)
	for _, row := range [][2]int{{0, 1}, {1, 2}} {
		if err := b.AddOutcome([]uint16{uint16(row[0])}, row[1], 200); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Learn(t.Context(), Codes(b.Table()), s, DecisionTree(), Epsilon("1"))
	if err != nil {
		t.Fatal(err)
	}
	row := map[string]string{"rain": "no"}
	if name, number, err := m.Outcome(row); err != nil || name != `"a little"` || number != 1 || m.OutcomeOfCodes([]uint16{1}) != 2 || m.PredictCodes([]uint16{1}) || !m.PredictCodes([]uint16{0}) {
		t.Errorf("%s, %d, %v", name, number, err)
	}
	if _, err := m.Predict(row); err == nil {
		t.Error("a label of three outcomes has a positive one")
	}
	if _, _, _, err := m.Risk(row); err == nil || m.Assessment() != nil {
		t.Error("a label of three outcomes has a risk")
	}
	risks, err := m.OutcomeRisks(row)
	if err != nil || len(risks) != 3 || *risks[1].Value < .8 || math.Abs(*risks[0].Value+*risks[1].Value+*risks[2].Value-1) > 1e-9 || len(m.Comparison().Risks) != 2 {
		t.Errorf("%+v, %v", risks, err)
	}
	if _, _, err := m.Outcome(map[string]string{"rain": "snow"}); err == nil {
		t.Error("a row outside the domain has an outcome")
	}
	for _, other := range []*table.Builder{table.NewBuilder([]int{2}), table.NewBuilderOf([]int{2}, 4), table.NewBuilderOf([]int{3}, 3)} {
		if _, err := Evaluate(t.Context(), m, Codes(other.Table()), Epsilon("1")); err == nil || !strings.Contains(err.Error(), "make it with NewTable") {
			t.Errorf("codes of another schema: %v", err)
		}
	}
	e, err := Evaluate(t.Context(), m, Codes(b.Table()), Epsilon("1"))
	if err != nil || e.Rows != nil || e.Population != nil || e.Counts.Rows.Int64() != 400 || e.Counts.Scale.Outcomes != 3 {
		t.Errorf("%+v, %v", e, err)
	}
}

// An evaluation refuses what it has no use for, before the data is opened, and a model
// without risks tells none.
func TestEvaluateRefuses(t *testing.T) {
	s, err := table.ParseSchema("answers", strings.NewReader("[label]\ncolumn = \"late\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"rain\"\nvalues = [\"no\", \"yes\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := NewTable(s)
	if err := b.Add([]uint16{1}, true, 50); err != nil {
		t.Fatal(err)
	}
	m, err := Learn(t.Context(), Codes(b.Table()), s, Scorecard(), Epsilon("1"), Risk("0"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := m.Risk(map[string]string{"rain": "yes"}); err == nil || m.Assessment() != nil {
		t.Error("a model without risks tells one")
	}
	for name, err := range map[string]error{
		"risk":  second(Evaluate(t.Context(), m, nil, Epsilon("1"), Risk("0.1"))),
		"costs": second(Evaluate(t.Context(), m, nil, Epsilon("1"), Costs(1, 2))),
		"delta": second(Evaluate(t.Context(), m, nil, EpsilonDelta("1", "1e-6"))),
		"ε":     second(Evaluate(t.Context(), m, nil, Epsilon("0"))),
		"other": second(Evaluate(t.Context(), m, nil, Epsilon("1"), AddRemove())),
	} {
		if err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	e, err := Evaluate(t.Context(), m, Codes(b.Table()), Epsilon("1"))
	if err != nil || e.Guarantee.Epsilon.String() != "1" || e.Counts.Rows.Int64() != 50 || e.Calibration != nil || e.Population.Of != risk.Population {
		t.Errorf("%+v, %v", e, err)
	}
}

func second[T any](_ T, err error) error { return err }

// functions holds for each parameter a function that returns it as an option.
var functions = map[string]any{
	"points":        Points,
	"threshold":     Threshold,
	"attributes":    MostAttributes,
	"norm":          Norm,
	"penalty":       Penalty,
	"distance":      Distance,
	"monotone":      Rising,
	"negated":       Negated,
	"intervals":     Intervals,
	"positive":      Positive,
	"rules":         Rules,
	"literals":      Literals,
	"affine":        Affine,
	"digits":        Digits,
	"depth":         Depth,
	"scale":         Scale,
	"sample":        Sample,
	"sample-rate":   SampleRate,
	"columns":       Columns,
	"steps":         Steps,
	"clip":          Clip,
	"share":         Share,
	"learning-rate": LearningRate,
	"bound":         Bound,
	"ridge":         Ridge,
}

// What goes together compiles, and nothing else: the type of an option has the methods of
// exactly the classes and mechanisms that have its parameter.
func TestOptionsGoWithWhatHasThem(t *testing.T) {
	type has struct {
		option reflect.Type
		define func(*flag.FlagSet)
	}
	var owners []has
	for name, o := range map[string]reflect.Type{
		"scorecard": reflect.TypeFor[ScorecardOption](), "halfspace": reflect.TypeFor[HalfspaceOption](),
		"conjunction": reflect.TypeFor[FormulaOption](), "decision-list": reflect.TypeFor[ListOption](),
		"parity": reflect.TypeFor[ParityOption](), "majority": reflect.TypeFor[GateOption](),
		"naive-bayes": reflect.TypeFor[NaiveBayesOption](), "logistic": reflect.TypeFor[LogisticOption](),
		"card-or-tree": reflect.TypeFor[EitherOption](), "svm": reflect.TypeFor[SVMOption](), "least-squares": reflect.TypeFor[LeastSquaresOption](),
	} {
		kind, known := model.KindOf(name)
		if !known {
			t.Fatal(name)
		}
		owners = append(owners, has{o, func(f *flag.FlagSet) { kind.Ask().Parameters(f) }})
	}
	for _, m := range []struct {
		option    reflect.Type
		mechanism mechanism.Mechanism
	}{
		{reflect.TypeFor[ExponentialOption](), &mechanism.Exponential{}}, {reflect.TypeFor[DescentOption](), &mechanism.DPSGD{}},
		{reflect.TypeFor[BoxOption](), &mechanism.Box{}},
	} {
		owners = append(owners, has{m.option, m.mechanism.Parameters})
	}
	for parameter, function := range functions {
		of := reflect.TypeOf(function).Out(0)
		for _, o := range owners {
			own := flag.NewFlagSet("", flag.ContinueOnError)
			o.define(own)
			if want := own.Lookup(parameter) != nil; of.Implements(o.option) != want {
				t.Errorf("the option %s goes with %v: %v, want %v", parameter, o.option, !want, want)
			}
		}
	}
}

// Chosen takes what public facts choose, the same for every table; a union of it is refused.
func TestChosen(t *testing.T) {
	s, err := table.ParseSchema("answers", strings.NewReader("[label]\ncolumn = \"late\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"rain\"\nvalues = [\"no\", \"yes\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int64{0, 1, 5000} {
		b := NewTable(s)
		if err := b.Add([]uint16{1}, true, rows); err != nil {
			t.Fatal(err)
		}
		m, err := Learn(t.Context(), Codes(b.Table()), s, Chosen(), Epsilon("1"), AddRemove())
		if err != nil {
			t.Fatal(err)
		}
		if m.model.Form.Name() != "tree" {
			t.Errorf("of %d rows a %s is learned", rows, m.model.Form.Name())
		}
	}
	p, err := PlanFor(s, Chosen(), 100, Epsilon("1"))
	if err != nil || p.Candidates.Taken() == nil || p.Candidates.Taken().Class != "tree --depth 4" {
		t.Errorf("the plan is %v, %v", p, err)
	}
	for name, c := range map[string]Class{
		"a union":   Union([]Class{Chosen(), Scorecard()}),
		"balanced":  Union([]Class{Chosen()}, Balanced()),
		"no class":  {},
		"no such ε": Chosen(),
	} {
		if _, err := Learn(t.Context(), nil, s, c, Epsilon("0")); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
