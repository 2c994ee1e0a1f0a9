package sibyl

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/papers"
	"github.com/sibyl-dp/sibyl/privacy"
)

// structs lists classes and mechanisms, with the arguments of the command that request the same.
// Every field is set in at least one case.
var structs = []struct {
	class     Class
	mechanism Mechanism
	words     string
}{
	{Scorecard{}, nil, "scorecard"},
	{Scorecard{Points: Points{-2, 3}, Threshold: new(0), Attributes: 1, Penalty: 4, Distance: 5, Rising: []string{"a"}, Falling: []string{"b"}}, nil,
		"scorecard --points -2..3 --threshold 0 --attributes 1 --penalty 4 --distance 5 --monotone a --monotone b:down"},
	{Scorecard{Norm: 6}, nil, "scorecard --norm 6"},
	{Halfspace{}, nil, "halfspace"},
	{Halfspace{Points: Points{-2, 3}, Threshold: new(2), Attributes: 1, Penalty: 4, Distance: 5}, nil, "halfspace --points -2..3 --threshold 2 --attributes 1 --penalty 4 --distance 5"},
	{Halfspace{Norm: 6}, nil, "halfspace --norm 6"},
	{Conjunction{}, nil, "conjunction"},
	{Conjunction{Negated: true, Attributes: 1, Penalty: 2, Distance: 3}, nil, "conjunction --negated true --attributes 1 --penalty 2 --distance 3"},
	{Conjunction{Intervals: true}, nil, "conjunction --intervals true"},
	{Conjunction{Positive: true}, nil, "conjunction --positive true"},
	{Disjunction{Negated: true, Attributes: 1, Penalty: 2, Distance: 3}, nil, "disjunction --negated true --attributes 1 --penalty 2 --distance 3"},
	{Disjunction{Intervals: true}, nil, "disjunction --intervals true"},
	{Disjunction{Positive: true}, nil, "disjunction --positive true"},
	{DecisionList{}, nil, "decision-list"},
	{DecisionList{Rules: 5, Literals: 2, Negated: true, Penalty: 3}, nil, "decision-list --rules 5 --literals 2 --negated true --penalty 3"},
	{DecisionList{Rules: Unlimited, Intervals: true}, nil, "decision-list --rules 0 --intervals true"},
	{DecisionList{Positive: true}, nil, "decision-list --positive true"},
	{Parity{}, nil, "parity"},
	{Parity{Attributes: 2, Penalty: 3, Affine: true}, nil, "parity --attributes 2 --penalty 3 --affine true"},
	{Parity{Digits: true}, nil, "parity --digits true"},
	{Majority{Depth: 2, Penalty: 3}, nil, "majority --depth 2 --penalty 3"},
	{NAND{Depth: 1, Penalty: 3}, nil, "nand --depth 1 --penalty 3"},
	{Tree{}, nil, "tree"},
	{Tree{Depth: 3}, Exponential{ConstantWork: true}, "tree --depth 3 --constant-work true"},
	{Tree{Depth: 3}, Exponential{Loss: Graded}, "tree --depth 3 --loss graded"},
	{Sparse{}, nil, "sparse"},
	{Sparse{Attributes: 1, Draws: 2, Points: 3, Threshold: new(0)}, Exponential{}, "sparse --attributes 1 --draws 2 --points -3..3 --threshold 0"},
	{SumScore{}, nil, "sum-score"},
	{SumScore{Points: Points{-2, 2}}, nil, "sum-score --points -2..2"},
	{NaiveBayes{Scale: 7}, nil, "naive-bayes --scale 7"},
	{NaiveBayes{}, Weighted{}, "naive-bayes --mechanism weighted"},
	{CardOrTree{}, nil, "card-or-tree"},
	{CardOrTree{Scale: 7, Depth: 2}, nil, "card-or-tree --scale 7 --depth 2"},
	{CardOrTree{SumScores: true}, nil, "card-or-tree --sum-scores true"},
	{RankedTree{}, nil, "ranked-tree"},
	{RankedTree{Scale: 7, Depth: 2}, nil, "ranked-tree --scale 7 --depth 2"},
	{CardAndTree{}, nil, "card-and-tree"},
	{CardAndTree{Scale: 7, Depth: 2}, Descent{Steps: 3}, "card-and-tree --scale 7 --depth 2 --steps 3"},
	{Logistic{Scale: 7}, Descent{}, "logistic --scale 7 --mechanism dpsgd"},
	{Logistic{}, Descent{Columns: Binary, Steps: 3, Clip: "2", Share: "0.5", LearningRate: 1.5}, "logistic --mechanism dpsgd --columns binary --steps 3 --clip 2 --share 0.5 --learning-rate 1.5"},
	{SVM{Scale: 7}, Box{}, "svm --scale 7 --mechanism exponential"},
	{Logistic{}, Box{Columns: Reference, Bound: 3, Ridge: 2}, "logistic --mechanism exponential --columns reference --bound 3 --ridge 2"},
	{Scorecard{}, Exponential{Sample: 9}, "scorecard --sample 9"},
	{Scorecard{}, Exponential{SampleRate: "0.5"}, "scorecard --sample-rate 0.5"},
	{Union{Classes: []Class{Sparse{Attributes: 1}, Tree{Depth: 2}}}, nil, "union:sparse,tree --attributes 1 --depth 2"},
	{Scorecard{}, papers.RSPM{}, "scorecard --mechanism rspm"},
	{Scorecard{}, papers.RSPM{Noise: "cube", Oracle: "exhaustive", Grid: 3}, "scorecard --mechanism rspm --noise cube --oracle exhaustive --grid 3"},
	{Scorecard{}, papers.OPDisc{Oracle: "exhaustive", Grid: 3}, "scorecard --mechanism opdisc --oracle exhaustive --grid 3"},
	{Scorecard{}, papers.PRSMA{}, "scorecard --mechanism prsma"},
	{Scorecard{}, papers.PRSMA{Noise: "cube", Oracle: "exhaustive", Grid: 3, Calls: 50, NodeBudget: 60}, "scorecard --mechanism prsma --noise cube --oracle exhaustive --grid 3 --calls 50 --node-budget 60"},
	{Scorecard{}, papers.Boost{Parts: 3, Validation: 20}, "scorecard --mechanism boost --parts 3 --validation 20"},
	{LeastSquares{Scale: 7}, papers.OPSamp{}, "least-squares --scale 7"},
	{SVM{}, papers.OPSamp{Columns: "binary", Bound: 3, Minimisers: 5, TermRate: "0.25", Slack: "2"}, "svm --mechanism opsamp --columns binary --bound 3 --minimisers 5 --term-rate 0.25 --slack 2"},
}

// A struct and the command's arguments give the same class and mechanism, with the same parameters.
func TestStructsAreParameters(t *testing.T) {
	s := answers(t)
	set := map[reflect.Type]map[string]bool{}
	for _, c := range structs {
		settings := Settings{Epsilon: "1", Mechanism: c.mechanism}
		got, _, err := settings.request(s, c.class)
		if err != nil {
			t.Errorf("%s: %v", c.words, err)
			continue
		}
		want := release.Request{Schema: s.schema}
		if err := want.Name(c.words); err != nil {
			t.Fatalf("%s: %v", c.words, err)
		}
		if !reflect.DeepEqual(got.Form, want.Form) {
			t.Errorf("%#v is %+v, and %s is %+v", c.class, got.Form, c.words, want.Form)
		}
		if c.mechanism != nil && !reflect.DeepEqual(got.Mechanism, want.Mechanism) {
			t.Errorf("%#v is %+v, and %s is %+v", c.mechanism, got.Mechanism, c.words, want.Mechanism)
		}
		for _, v := range []any{c.class, c.mechanism} {
			if v == nil {
				continue
			}
			of := reflect.ValueOf(v)
			if set[of.Type()] == nil {
				set[of.Type()] = map[string]bool{}
			}
			for i := range of.NumField() {
				if !of.Field(i).IsZero() {
					set[of.Type()][of.Type().Field(i).Name] = true
				}
			}
		}
	}
	for of, names := range set {
		for i := range of.NumField() {
			if f := of.Field(i); !names[f.Name] && f.Name != "Balanced" && f.Name != "Scale" {
				t.Errorf("no case sets %v.%s", of, f.Name)
			}
		}
	}
}

// With Total, a release of every class by every mechanism and the profile of its schema together have at most the
// requested ε and δ, and nearly all of ε.
func TestTotalOfStructs(t *testing.T) {
	s := answers(t)
	s.schema.Profiles = []table.Profile{{Columns: []string{"b"}, Epsilon: "0.25", Delta: "0.000001", Relation: "replace", Release: strings.Repeat("0", 32)}}
	tried := 0
	decimal := func(text string) privacy.Decimal {
		d, err := privacy.ParseDecimal(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, c := range structs {
		set := Settings{Epsilon: "0.75", Rows: 1000000, Mechanism: c.mechanism}
		prepare := func() (*release.Prepared, error) {
			r, _, err := set.request(s, c.class)
			if err != nil {
				t.Fatal(err)
			}
			return r.Prepare()
		}
		total := "1e-6"
		if _, err := prepare(); err != nil {
			set.Delta, total = "9e-6", "1e-5"
			if _, err := prepare(); err != nil {
				continue // refused whatever the δ
			}
		}
		tried++
		set.Epsilon, set.Delta, set.Total = "1", total, true
		p, err := prepare()
		if err != nil {
			t.Errorf("%s: %v", c.words, err)
			continue
		}
		all, private := profiles.Total(p.Guarantee, s.schema)
		if g := p.Guarantee; !private || all.Epsilon.Cmp(decimal("1")) > 0 || all.Delta.Cmp(decimal(total)) > 0 || g.Epsilon.Cmp(decimal("0.74")) < 0 || g.Epsilon.Cmp(decimal("1")) >= 0 {
			t.Errorf("%s: ε = %s and δ = %s, in total %s and %s", c.words, g.Epsilon, g.Delta, all.Epsilon, all.Delta)
		}
	}
	if tried < 35 {
		t.Errorf("only %d of %d classes and mechanisms accept the settings", tried, len(structs))
	}
}

// fieldsOfStructs returns the fields of all structs that a program passes to Learn, Synthesize and DraftSchema.
func fieldsOfStructs() map[string]bool {
	all := map[string]bool{}
	enter := func(t reflect.Type) {
		for i := range t.NumField() {
			all[t.Field(i).Name] = true
		}
	}
	enter(reflect.TypeFor[Settings]())
	enter(reflect.TypeFor[Synthesis]())
	enter(reflect.TypeFor[SchemaFacts]())
	enter(reflect.TypeFor[SchemaMetadata]())
	enter(reflect.TypeFor[Union]())
	for _, c := range structs {
		enter(reflect.TypeOf(c.class))
		if c.mechanism != nil {
			enter(reflect.TypeOf(c.mechanism))
		}
	}
	return all
}

// Every parameter of a class or a mechanism is a field of its name, and every parameter that an
// error may name is a field or an argument.
func TestParametersAreFields(t *testing.T) {
	known := fieldsOfStructs()
	for name := range maps.Values(fieldNames) {
		known[name] = true
	}
	for _, name := range []string{"Boost", "Rounds", "Batch", "Listen", "Idle", "Directory", "Delimiter", "Encoding", "Sheet", "Query"} {
		known[name] = true // only the command has these
	}
	define := func(who string, of func(*flag.FlagSet)) {
		model.ParametersOf(of).VisitAll(func(f *flag.Flag) {
			if !known[fieldName(f.Name)] {
				t.Errorf("the parameter %s of %s has no field %s", f.Name, who, fieldName(f.Name))
			}
		})
	}
	for _, k := range model.Kinds() {
		define(k.Name, k.New().Parameters)
		for _, m := range mechanism.Kinds(k) {
			define(m.Name, m.New().Parameters)
		}
	}
	named := 0
	for _, name := range parametersNamed(t, "internal", "papers") {
		named++
		if !known[fieldName(name)] {
			t.Errorf("errors name the parameter %s, and there is no field %s", name, fieldName(name))
		}
	}
	if named < 40 {
		t.Errorf("only %d parameters are named by errors", named)
	}
}

// parametersNamed lists the parameters in the texts of package parameter below directories.
func parametersNamed(t *testing.T, directories ...string) []string {
	t.Helper()
	names := map[string]bool{}
	reference := regexp.MustCompile(`\{([a-z][a-z-]*)\}`)
	for _, directory := range directories {
		err := filepath.WalkDir(directory, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			imports := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return strings.HasSuffix(i.Path.Value, `/internal/parameter"`) })
			ast.Inspect(file, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); imports && ok && l.Kind == token.STRING {
					text, err := strconv.Unquote(l.Value)
					if err != nil {
						t.Error(err)
					}
					for _, m := range reference.FindAllStringSubmatch(text, -1) {
						names[m[1]] = true
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// A parameter that the mechanism does not have is refused, and so is a mechanism that the class does
// not support.
func TestMechanismsGoWithClasses(t *testing.T) {
	s := answers(t)
	for _, c := range []struct {
		class     Class
		mechanism Mechanism
	}{
		{Tree{}, Exponential{Sample: 3}}, {Tree{}, Exponential{SampleRate: "0.5"}}, {Scorecard{}, Exponential{ConstantWork: true}},
		{Scorecard{}, Exponential{Loss: Graded}}, {Sparse{}, Exponential{ConstantWork: true}}, {Logistic{}, Exponential{Sample: 3}},
		{Scorecard{}, Box{}}, {Tree{}, Descent{}}, {Scorecard{}, Weighted{}}, {Tree{}, papers.RSPM{}}, {NaiveBayes{}, Exponential{}},
		{Chosen{}, Exponential{}},
	} {
		set := Settings{Epsilon: "1", Mechanism: c.mechanism}
		_, _, err := set.request(s, c.class)
		if p, ok := parameterError("class", err).(*ParameterError); !ok || p.Field != "Mechanism" || strings.Contains(p.Error(), "--") {
			t.Errorf("%#v with %#v: %v", c.class, c.mechanism, err)
		}
	}
}

// answers is a schema of two attributes.
func answers(t *testing.T) *Schema {
	t.Helper()
	s, err := table.ParseSchema("answers", strings.NewReader("[label]\ncolumn = \"late\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"a\"\nvalues = [\"no\", \"yes\"]\n[[attribute]]\ncolumn = \"b\"\nvalues = [\"x\", \"y\", \"z\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	return &Schema{s}
}
