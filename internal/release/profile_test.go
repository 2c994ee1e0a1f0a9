package release

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

// openNumber is a number column without cuts.
const openNumber = `
[[attribute]]
column = "age"
kind = "number"
draw = "integer"
least = 0
most = 120
`

const openSchema = openNumber + `
[[attribute]]
column = "job"
values = ["a", "b"]

[[attribute]]
column = "pay"
kind = "number"
other = "missing"
`

// people has rows of every age from 0 to 99; half of them have the pay 0.
var people = source.Memory{Header: []string{"age", "job", "pay", "id"}, Rows: source.Sure(func(yield func([]string) bool) {
	for i := range 4000 {
		pay := "0"
		if i/100%2 == 1 {
			pay = fmt.Sprint(1000 + i)
		}
		if i == 7 {
			pay = "none"
		}
		if !yield([]string{fmt.Sprint(i % 100), "b", pay, fmt.Sprint(i / 2)}) {
			return
		}
	}
})}

// With little noise the cuts are the medians of the data. The returned schema is complete, its profile states the
// guarantee, and the description of the release implies that guarantee.
func TestProfile(t *testing.T) {
	for _, c := range []struct{ more, delta, relation string }{
		{"", "0", "replace"}, {"", "1e-9", "replace"}, {"[person]\ncolumn = \"id\"\nmost = 2\n", "1e-9", "replace-person-2"},
	} {
		p, err := Profile{Name: "open.toml", Text: []byte(openSchema + c.more), Epsilon: decimal(t, "100"), Delta: decimal(t, c.delta)}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		account := &recordingAccount{}
		var published []byte
		out, err := p.Release(context.Background(), people, Terms{Account: account, Publish: func(_ context.Context, artefacts [][]byte) error {
			published = artefacts[0]
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		s := out.Schema
		if !bytes.Equal(published, out.Text) || !strings.Contains(" "+fmt.Sprint(s.Attributes[0].Cuts)+" ", "50 ") || len(s.Attributes[0].Cuts) != 15 || s.Attributes[2].Cuts[0].Rat().Cmp(big.NewRat(1100, 1)) > 0 {
			t.Errorf("%v: %v\n%s", c, s.Attributes[0].Cuts, out.Text)
		}
		want := table.Profile{Columns: []string{"age", "pay"}, Epsilon: "100", Delta: table.Decimal(decimal(t, c.delta).String()), Rho: p.profile.Rho, MuSquared: p.profile.MuSquared, Relation: c.relation, Release: p.profile.Release}
		if (want.Rho == "") != (c.delta == "0") || len(s.Profiles) != 1 || fmt.Sprint(s.Profiles[0]) != fmt.Sprint(want) {
			t.Errorf("%+v", s.Profiles)
		}
		g, err := Recompute(account.description)
		if err != nil || g.Relation().String() != c.relation || account.guarantee.Delta(1) != g.Delta(1) {
			t.Errorf("%s gives %v, %v", account.description, g, err)
		}
		for _, change := range [][2]string{{`"profile"`, `"other"`}, {`"cells":[121`, `"cells":[1`}, {`"levels":`, `"levels":9`}, {`"rho":"`, `"rho":"9`}} {
			text := strings.Replace(string(account.description), change[0], change[1], 1)
			if change[0] == `"rho":"` && c.delta == "0" {
				continue
			}
			if _, err := Recompute(json.RawMessage(text)); err == nil {
				t.Errorf("%s is accepted", text)
			}
		}
	}
}

// A column that is mostly 0, with few numbers of each power of ten, gets a cut above 0 and cuts near the quartiles of its
// other numbers.
func TestProfileOfRareNumbers(t *testing.T) {
	rare := source.Memory{Header: []string{"gain"}, Rows: source.Sure(func(yield func([]string) bool) {
		for i := range 4000 {
			gain := 0
			if i%20 == 0 {
				gain = []int{15, 150, 1500, 15_000}[i/20%4] + i/80
			}
			if !yield([]string{fmt.Sprint(gain)}) {
				return
			}
		}
	})}
	for _, rows := range []int64{0, 4000} {
		seed := uint64(rows)
		text := "[[attribute]]\ncolumn = \"gain\"\nkind = \"number\"\ndraw = \"integer\"\nleast = 0\nmost = 99999\n"
		p, err := Profile{Name: "open.toml", Text: []byte(text), Epsilon: decimal(t, "0.3"), Relation: privacy.AddRemove, Rows: rows, Seed: &seed}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Release(context.Background(), rare, Terms{})
		if err != nil {
			t.Fatal(err)
		}
		cuts := out.Schema.Attributes[0].Cuts
		middle := slices.ContainsFunc(cuts, func(d table.Decimal) bool { // between the numbers near 150 and those near 1500
			return d.Rat().Cmp(big.NewRat(180, 1)) > 0 && d.Rat().Cmp(big.NewRat(1510, 1)) < 0
		})
		if cuts[0] != "1" || len(cuts) < 2 || len(cuts) > 4 || !middle {
			t.Errorf("%d rows: cuts %v", rows, cuts)
		}
	}
}

// Cuts of dates are days of the range, near the quantiles. Dates that do not exist or are missing do not count.
func TestProfileDates(t *testing.T) {
	const open = "[[attribute]]\ncolumn = \"seen\"\nkind = \"date\"\nformat = \"d.m.y\"\nother = \"missing\"\ndraw = \"day\"\nleast = 2019-01-01\nmost = 2023-12-31\n"
	first := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	visits := source.Memory{Header: []string{"seen"}, Rows: source.Sure(func(yield func([]string) bool) {
		for i := range 20_000 {
			text := first.AddDate(0, 0, i%1000).Format("2.1.2006")
			switch i % 4 {
			case 1:
				text = "31.2.2019"
			case 3:
				text = ""
			}
			if !yield([]string{text}) {
				return
			}
		}
	})}
	p, err := Profile{Name: "open.toml", Text: []byte(open), Epsilon: decimal(t, "100")}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	account := &recordingAccount{}
	out, err := p.Release(context.Background(), visits, Terms{Account: account})
	if err != nil {
		t.Fatal(err)
	}
	a := &out.Schema.Attributes[0]
	median := a.CutText(len(a.Cuts) / 2)
	if len(a.Cuts) != 15 || median < "2021-05-01" || median > "2021-06-01" || a.CutText(0) < "2020-01-01" || !bytes.Contains(out.Text, []byte("cuts = [2020-")) || a.Least != "17897" {
		t.Errorf("%d cuts, the median is %s\n%s", len(a.Cuts), median, out.Text)
	}
	if g, err := Recompute(account.description); err != nil || account.guarantee.Delta(1) != g.Delta(1) {
		t.Errorf("%s gives %v, %v", account.description, g, err)
	}
	for _, c := range [][2]string{
		{"draw = \"day\"\nleast = 2019-01-01\nmost = 2023-12-31\n", `attribute "seen" has kind = "date"; a profile chooses cuts or values only for numbers, categories and dates with a range; add cuts, or draw = "day" with the range least and most, from public knowledge`},
		{"most = 2023-12-31", "has draw = \"day\", so it needs \"least\" and \"most\""},
	} {
		if _, err := (Profile{Name: "open.toml", Text: []byte(strings.Replace(open, c[0], "", 1)), Epsilon: decimal(t, "1")}).Prepare(); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("without %q: %v", c[0], err)
		}
	}
	oneDay := strings.Replace(open, "most = 2023-12-31", "most = 2019-01-01", 1)
	if _, err := (Profile{Name: "open.toml", Text: []byte(oneDay), Epsilon: decimal(t, "1")}).Prepare(); err == nil || !strings.Contains(err.Error(), `"seen" has the same value in the keys "least" and "most"`) {
		t.Error(err)
	}
}

// The counts by magnitude and the cuts consume the whole budget together.
func TestProfileBudget(t *testing.T) {
	for _, delta := range []string{"0", "1e-9"} {
		p, err := Profile{Name: "open.toml", Text: []byte(openSchema), Epsilon: decimal(t, "1"), Delta: decimal(t, delta)}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		whole, err := promisedWhole(p)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.promise.Delta(0.95), whole.Delta(0.95); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("δ = %s: δ(0.95) = %g, want %g", delta, got, want)
		}
		// Ledgers of before state the pure guarantee of one mechanism.
		if delta == "0" && !reflect.DeepEqual(p.promise, whole) {
			t.Errorf("δ = %s: the guarantee is %#v, not %#v", delta, p.promise, whole)
		}
	}
}

// promisedWhole returns the guarantee of one mechanism that consumes the whole budget.
func promisedWhole(p *PreparedProfile) (privacy.Guarantee, error) {
	if p.rho.IsZero() {
		return privacy.NewPure(p.promise.Relation(), p.request.Epsilon)
	}
	return privacy.NewZCDP(p.promise.Relation(), p.rho.Rat())
}

// A recordingAccount records its charges.
type recordingAccount struct {
	description json.RawMessage
	guarantee   privacy.Guarantee
	held        string
}

func (a *recordingAccount) Reserve(_ context.Context, d json.RawMessage, g privacy.Guarantee) (Reservation, error) {
	a.description, a.guarantee = d, g
	return nil, nil
}

func (a *recordingAccount) Holds(_ context.Context, release string) (bool, error) {
	return release == a.held, nil
}

// An account that lacks the entries of the schema's profiles is refused before it is charged. So is another
// relation.
func TestProfiled(t *testing.T) {
	const release = "0123456789abcdef0123456789abcdef"
	text := strings.Replace(openSchema, "kind = \"number\"\nother", "cuts = [5]\nother", 1) +
		"[[profile]]\ncolumns = [\"pay\"]\nepsilon = 1\ndelta = 0\nrelation = \"replace\"\nrelease = \"" + release + "\"\n"
	request := Profile{Name: "open.toml", Text: []byte(text), Epsilon: decimal(t, "1")}
	p, err := request.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		held      string
		elsewhere bool
		want      string
	}{
		{release, false, ""}, {"", true, ""},
		{"", false, `account was not charged for the [[profile]] of the schema for column "pay"`},
	} {
		account := &recordingAccount{held: c.held}
		out, err := p.Release(context.Background(), people, Terms{Account: account, ProfiledElsewhere: c.elsewhere})
		if c.want == "" && (err != nil || len(out.Schema.Profiles) != 2) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || account.description != nil) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	request.Relation = privacy.AddRemove
	if _, err := request.Prepare(); err == nil || !strings.Contains(err.Error(), "relation add-remove differs from the relation of a [[profile]] of the schema, replace") {
		t.Error(err)
	}
	pairs := pairsOf(t, Pairs{Schema: tabletest.Schema(t, strings.Replace(text, "kind = \"number\"\n", "cuts = [9]\n", 1)), Relation: privacy.AddRemove})
	account := &recordingAccount{held: release}
	if _, err := pairs.Release(context.Background(), people, Terms{Account: account}); err == nil || !strings.Contains(err.Error(), "differs from the relation of a [[profile]] of the schema, replace") || account.description != nil {
		t.Error(err)
	}
}

// With Total, the release and the profile have at most the requested ε together, and nearly all of it if the mechanism
// permits. A mechanism whose guarantee is in ρ gets more than the difference.
func TestTotal(t *testing.T) {
	earlier, squared := profiledSchema(t), squaredSchema(t)
	for _, c := range []struct {
		schema                      *table.Schema
		class, epsilon, least, most string
	}{
		{earlier, "naive-bayes --mechanism newton", "1", "0.88", "0.92"},
		{squared, "naive-bayes --mechanism newton", "1", "0.95", "0.97"},
		{earlier, "card-or-tree --mechanism newton", "1", "0.88", "0.92"},
		{squared, "card-or-tree --mechanism newton", "1", "0.95", "0.97"},
		{earlier, "card-or-tree --mechanism newton", "4", "3.9", "4"}, // ε and risks that are added in the statement have a smaller ρ
		{earlier, "logistic", "1", "0.87", "0.88"},
		{squared, "logistic", "1", "0.95", "0.97"},
		{squared, "card-and-tree --depth 2", "1", "0.8", "0.96"},
		{earlier, "logistic", "0.2", "", "nothing of --epsilon 0.2 remains"},
	} {
		r := Request{Schema: c.schema, Epsilon: decimal(t, c.epsilon), Delta: decimal(t, "1e-5"), Total: true, Relation: privacy.AddRemove, Rows: 10000}
		if err := r.Name(c.class); err != nil {
			t.Fatal(err)
		}
		p, err := r.Prepare()
		if c.least == "" {
			if err == nil || !strings.Contains(err.Error(), c.most) {
				t.Errorf("%s: %v, not %s", c.class, err, c.most)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		total, _ := profiles.Total(p.Guarantee, c.schema)
		if e := p.Guarantee.Epsilon; e.Cmp(decimal(t, c.least)) < 0 || e.Cmp(decimal(t, c.most)) > 0 || total.Epsilon.Cmp(r.Epsilon) > 0 || total.Delta != r.Delta {
			t.Errorf("%s: ε = %s of %s, in total %s and δ = %s", c.class, e, c.epsilon, total.Epsilon, total.Delta)
		}
	}
}

// squaredSchema returns the schema of profiledSchema with a profile of the same ε and δ that states its μ² too.
func squaredSchema(t *testing.T) *table.Schema {
	t.Helper()
	p, err := Profile{Name: "open.toml", Text: []byte(strings.Replace(openCategories, openNumber, "", 1)), Epsilon: decimal(t, "0.3"), Delta: decimal(t, "1e-6"), Relation: privacy.AddRemove}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	s := profiledSchema(t)
	s.Profiles[0] = p.profile
	return s
}

// profiledSchema returns a schema with a profile of ε = 0.3 and δ = 10⁻⁶, and its ρ.
func profiledSchema(t *testing.T) *table.Schema {
	t.Helper()
	rho, err := privacy.RhoWithin(decimal(t, "0.3"), decimal(t, "1e-6"))
	if err != nil {
		t.Fatal(err)
	}
	return tabletest.Schema(t, "[label]\ncolumn = \"job\"\npositive = [\"a\"]\nnegative = [\"b\"]\n[[attribute]]\ncolumn = \"age\"\nvalues = [\"old\", \"young\"]\n[[attribute]]\ncolumn = \"pay\"\nvalues = [\"1\", \"2\", \"3\"]\n"+
		"[[profile]]\ncolumns = [\"pay\"]\nepsilon = 0.3\ndelta = 0.000001\nrho = "+rho.String()+"\nrelation = \"add-remove\"\nrelease = \"0123456789abcdef0123456789abcdef\"\n")
}

// A profile of categories alone divides a μ if the noise is then smaller, and other profiles divide a ρ. Both state their ρ
// and μ². Descriptions of earlier versions state only a ρ, and give the guarantee that their ledgers contain.
func TestProfileByMuOrRho(t *testing.T) {
	categories := strings.Replace(openCategories, openNumber, "", 1)
	for _, c := range []struct {
		text, epsilon string
		mu            bool
		ratio         float64 // of μ² and ρ, at least
	}{{categories, "1", true, 2}, {categories, "50", false, 2}, {openSchema, "1", false, 2.9}, {openCategories, "1", false, 2.2}, {openCategories, "50", false, 2}} {
		p, err := Profile{Name: "open.toml", Text: []byte(c.text), Epsilon: decimal(t, c.epsilon), Delta: decimal(t, "1e-6")}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		rho, err := privacy.RhoWithin(p.request.Epsilon, cmp.Or(p.failure, p.request.Delta))
		if err != nil {
			t.Fatal(err)
		}
		if p.mu.IsZero() == c.mu || p.rho.IsZero() != c.mu || !c.mu && p.profile.Rho != table.Decimal(rho.String()) {
			t.Errorf("%+v: the budget is ρ = %s and μ = %s", c, p.rho, p.mu)
		}
		if square := p.mu.Rat(); c.mu && p.profile.MuSquared.Rat().Cmp(square.Mul(square, square)) != 0 {
			t.Errorf("%+v: μ² is %s", c, p.profile.MuSquared)
		}
		small := c.epsilon == "50" // σ² of the counts
		if small != (p.profile.MuSquared == "") {
			t.Errorf("%+v: μ² is %s", c, p.profile.MuSquared)
		}
		if !small {
			if ratio, _ := new(big.Rat).Quo(p.profile.MuSquared.Rat(), p.profile.Rho.Rat()).Float64(); ratio < c.ratio || ratio > math.Pi+0.001 {
				t.Errorf("%+v: μ²/ρ is %g", c, ratio)
			}
		}
		if c.mu {
			other, err := newCategories(len(p.Categories), UsualCategories, rho.Rat(), privacy.Decimal{}, p.failure, p.promise.Relation())
			if err != nil || other.Variance().Cmp(p.values.Variance()) <= 0 {
				t.Errorf("%+v: σ² is %v, and %v with ρ, %v", c, p.values.Variance(), other.Variance(), err)
			}
		}
		text, err := p.describe()
		if err != nil {
			t.Fatal(err)
		}
		if g, err := Recompute(text); err != nil || !reflect.DeepEqual(g, p.promise) {
			t.Errorf("%s gives %v, %v", text, g, err)
		}
		if c.mu {
			const alone = `may have the key "mu" only if all columns are of categories and the key "rho" is missing`
			for _, change := range [][3]string{{`"rho":"0"`, `"rho":"0.001"`, alone}, {`"mu":"`, `"mu":"9`, `the key "variance" or "threshold"`}, {`"cells":[]`, `"cells":[9]`, alone}} {
				if _, err := Recompute(edited(t, text, change[0], change[1])); err == nil || !strings.Contains(err.Error(), change[2]) {
					t.Errorf("%s with %s: %v", text, change[1], err)
				}
			}
			continue
		}
		text = edited(t, text, `,"squares":true`, "")
		if len(p.Columns) == 0 {
			text = edited(t, text, `"cells":[]`, `"cells":null`)
		}
		earlier, err := Recompute(text)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := privacy.Parts(earlier)
		if z, ok := parts[0].Guarantee.(privacy.ZCDP); err != nil || !ok || z.Rho().Cmp(rho.Rat()) != 0 || parts[0].Times != 1 {
			t.Errorf("an earlier description of %+v gives %+v, %v", c, parts, err)
		}
	}
}

// With Total and a profile that states its μ², counts of pairs and synthetic data get nearly all of the total that the μ²
// leaves. With the ρ of a profile of an earlier version, they get less.
func TestTotalOfCounts(t *testing.T) {
	testTotalOfCounts(t, profiledSchema(t), "0.85")
	testTotalOfCounts(t, squaredSchema(t), "0.95")
}

// testTotalOfCounts tests that a release with Total gets at least the given ε of 1.
func testTotalOfCounts(t *testing.T, schema *table.Schema, least string) {
	t.Helper()
	one, delta := decimal(t, "1"), decimal(t, "1e-5")
	pairs, err := Pairs{Schema: schema, Epsilon: one, Delta: delta, Total: true, Relation: privacy.AddRemove, Rows: 10000}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	synthetic, err := Synthetic{Schema: schema, Epsilon: one, Delta: delta, Total: true, Relation: privacy.AddRemove, Rows: 10000}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*privacy.Statement{pairs.Guarantee, synthetic.Guarantee} {
		total, _ := profiles.Total(g, schema)
		if g.Epsilon.Cmp(decimal(t, least)) < 0 || g.Epsilon.Cmp(one) >= 0 || g.Delta != decimal(t, "9e-6") || total.Epsilon.Cmp(one) > 0 || total.Delta != delta {
			t.Errorf("ε = %s and δ = %s, in total %s and %s", g.Epsilon, g.Delta, total.Epsilon, total.Delta)
		}
	}
}

// A plan with Total plans the release that Prepare prepares: it has the same ε, δ and total.
func TestTotalOfPlan(t *testing.T) {
	schema := profiledSchema(t)
	for _, c := range []struct{ class, epsilon, delta string }{
		{"tree --depth 2", "1", "1e-6"}, {"tree --depth 2 --loss graded", "1", "1e-6"}, {"scorecard", "0.8", "1e-6"}, {"naive-bayes", "1", "1e-6"}, {"card-or-tree --depth 2", "1", "1e-6"},
		{"naive-bayes --mechanism newton", "1", "1e-5"}, {"naive-bayes --mechanism newton", "0.3", "1e-5"}, {"card-or-tree --depth 2 --mechanism newton", "1", "1e-5"},
		{"logistic", "1", "1e-5"}, {"", "1", "1e-6"}, {"", "1", "1e-5"},
	}[heavy.Pick(4, 0):] {
		r := Request{Schema: schema, Epsilon: decimal(t, c.epsilon), Delta: decimal(t, c.delta), Total: true, Relation: privacy.AddRemove, Rows: 10000}
		var err error
		if c.class == "" {
			_, err = r.Choose()
		} else {
			err = r.Name(c.class)
		}
		if err != nil {
			t.Fatal(err)
		}
		prepared, err := r.Prepare()
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		plan, err := r.Plan(nil, false)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		want, _ := profiles.Total(prepared.Guarantee, schema)
		got, _ := profiles.Total(plan.Guarantee, schema)
		if plan.Epsilon != prepared.request.Epsilon || plan.Risks != prepared.Risks || got.Epsilon.Cmp(r.Epsilon) > 0 || got.Delta != want.Delta || got.Delta.Cmp(r.Delta) > 0 {
			t.Errorf("%v: planned ε = %s and %s for risks, in total %s and %s, but prepared %s and %s, in total %s and %s", c, plan.Epsilon, plan.Risks, got.Epsilon, got.Delta,
				prepared.request.Epsilon, prepared.Risks, want.Epsilon, want.Delta)
		}
	}
	r := Request{Schema: schema, Epsilon: decimal(t, "0.3"), Delta: decimal(t, "1e-5"), Total: true, Relation: privacy.AddRemove, Rows: 10000}
	if err := r.Name("scorecard"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Plan(nil, false); err == nil || !strings.Contains(err.Error(), "consumed all of --epsilon, and nothing is left for this class") {
		t.Error(err)
	}
}

// The bounds of a plan with Total are those of a plan with the ε that the profiles leave.
func TestTotalBounds(t *testing.T) {
	r := Request{Schema: profiledSchema(t), Epsilon: decimal(t, "1"), Delta: decimal(t, "1e-6"), Total: true, Relation: privacy.AddRemove, Rows: 10000}
	if err := r.Name("tree --depth 2"); err != nil {
		t.Fatal(err)
	}
	with, err := r.Plan(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	r.Epsilon, r.Delta, r.Total = decimal(t, "0.7"), privacy.Decimal{}, false
	without, err := r.Plan(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if with.Bounds[0].Most != without.Bounds[0].Most || with.Risks != without.Risks || with.RiskWithin.Cmp(without.RiskWithin) != 0 || with.ErrorsWithin.Cmp(without.ErrorsWithin) != 0 || without.Guarantee != nil {
		t.Errorf("%+v is not %+v", with, without)
	}
}

// If the profiles exceed a total, or the release cannot keep it, both the release and its plan refuse it by one
// sentence.
func TestTotalRefused(t *testing.T) {
	schema := profiledSchema(t)
	void := profiledSchema(t)
	void.Profiles[0] = table.Profile{Columns: []string{"pay"}, NotPrivate: true}
	for _, c := range []struct {
		class, epsilon, delta string
		relation              privacy.Relation
		schema                *table.Schema
		want                  string
	}{
		{"tree", "0.3", "1e-6", privacy.AddRemove, schema, "--total: the [[profile]] entries of the schema have already consumed ε = 0.3, so nothing of --epsilon 0.3 remains; use a larger --epsilon"},
		{"tree", "1", "0", privacy.AddRemove, schema, "--total: the [[profile]] entries of the schema have already consumed δ = 0.000001, more than --delta 0; set --delta to 0.000001 or more"},
		{"tree", "1", "1e-6", privacy.ReplaceOne, schema, "--relation replace differs from the relation of a [[profile]] of the schema, add-remove"},
		{"tree", "1", "1e-6", privacy.AddRemove, void, "--total: a [[profile]] of the schema has no guarantee, so no total guarantee can be computed; leave --total out"},
		{"tree", "0", "1e-6", privacy.AddRemove, schema, "--epsilon 0 is outside"},
		{"tree", "1", "1", privacy.AddRemove, schema, "--delta 1 must be below 1"},
	} {
		r := Request{Schema: c.schema, Epsilon: decimal(t, c.epsilon), Delta: decimal(t, c.delta), Total: true, Relation: c.relation, Rows: 10000}
		if err := r.Name(c.class); err != nil {
			t.Fatal(err)
		}
		_, prepared := r.Prepare()
		_, planned := r.Plan(nil, false)
		_, pairs := Pairs{Schema: c.schema, Epsilon: r.Epsilon, Delta: r.Delta, Total: true, Relation: c.relation, Rows: r.Rows}.Prepare()
		for _, err := range []error{prepared, planned, pairs} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, ε = %s, δ = %s: %v, not %s", c.class, c.epsilon, c.delta, err, c.want)
			}
		}
	}
	for _, c := range []struct{ class, delta, want string }{
		{"tree", "1e-5", "--total: the [[profile]] entries of the schema leave δ = 0.000009 of --delta 0.00001 unused, and this release consumes no δ; set --delta to 0.000001"},
		{"logistic", "1e-6", "--total: this release needs a δ, but the [[profile]] entries of the schema consumed all of --delta 0.000001; use a larger --delta"},
	} {
		r := Request{Schema: schema, Epsilon: decimal(t, "1"), Delta: decimal(t, c.delta), Total: true, Relation: privacy.AddRemove, Rows: 10000}
		if err := r.Name(c.class); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Prepare(); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, not %s", c.class, err, c.want)
		}
	}
	_, err := Synthetic{Schema: schema, Epsilon: decimal(t, "1"), Delta: decimal(t, "1e-6"), Total: true, Relation: privacy.AddRemove}.Prepare()
	if err == nil || !strings.Contains(err.Error(), "this release needs a δ") {
		t.Error(err)
	}
}

const openCategories = `
[[attribute]]
column = "town"
kind = "category"         # missing: values or groups
other = "elsewhere"

[[attribute]]
column = "age"
kind = "number"
draw = "integer"
least = 0
most = 120

[[attribute]]
column = "code"
kind = "category"
`

// towns has rows of three large towns and many small ones, and a code of its own in each row.
var towns = source.Memory{Header: []string{"age", "town", "code", "id"}, Rows: source.Sure(func(yield func([]string) bool) {
	for i := range 4000 {
		town := []string{"Ulm", "Bonn", "elsewhere", "Kiel \"\\ \u2028\r\u0001'''", fmt.Sprint("village ", i), ""}[i%6]
		if !yield([]string{fmt.Sprint(i % 100), town, fmt.Sprint("c", i), fmt.Sprint(i / 2)}) {
			return
		}
	}
})}

// Values that many rows have become categories, sorted by name, and others belong to the other category. The profile and the
// description state the guarantee, to which thresholds and noise both contribute.
func TestProfileCategories(t *testing.T) {
	for _, c := range []struct{ more, epsilon, relation string }{
		{"", "1", "replace"}, {"[person]\ncolumn = \"id\"\nmost = 2\n", "2", "replace-person-2"},
	} {
		p, err := Profile{Name: "open.toml", Text: []byte(openCategories + c.more), Epsilon: decimal(t, c.epsilon), Delta: decimal(t, "1e-9"), Rows: 0}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		account := &recordingAccount{}
		out, err := p.Release(context.Background(), towns, Terms{Account: account})
		if err != nil {
			t.Fatal(err)
		}
		s := out.Schema
		if got := fmt.Sprintf("%q %q", s.Attributes[0].Values, s.Attributes[0].Other); got != `["Bonn" "Kiel \"\\ \u2028\r\x01'''" "Ulm"] "elsewhere"` {
			t.Errorf("%s\n%s", got, out.Text)
		}
		if a := s.Attributes[2]; fmt.Sprint(a.Values) != "["+noValue+"]" || a.Other != "other" || out.Values[1] != 0 || out.Values[0] != 3 || len(out.Cuts) != 1 {
			t.Errorf("%+v", a)
		}
		if got := fmt.Sprint(s.Profiles[0].Columns, s.Profiles[0].Delta); got != "[town age code]0.000000001" {
			t.Error(got)
		}
		g, err := Recompute(account.description)
		if err != nil || g.Relation().String() != c.relation || account.guarantee.Delta(1) != g.Delta(1) {
			t.Errorf("%s gives %v, %v", account.description, g, err)
		}
		// By hand: δ/2 for the thresholds, and the ρ that δ/2 allows for three columns, of which one has cuts.
		half := decimal(t, "5e-10")
		rho, err := privacy.RhoWithin(decimal(t, c.epsilon), half)
		if err != nil {
			t.Fatal(err)
		}
		got, failure := new(big.Rat), privacy.Decimal{}
		parts, err := privacy.Parts(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			switch g := part.Guarantee.(type) {
			case interface{ Rho() *big.Rat }:
				got.Add(got, g.Rho().Mul(g.Rho(), big.NewRat(part.Times, 1)))
			case privacy.Approximate:
				failure = g.DeltaAtEpsilon()
			}
		}
		if got.Cmp(rho.Rat()) != 0 || failure != half {
			t.Errorf("ρ is %v and the failure %s, want %s and %s", got, failure, rho, half)
		}
		for _, change := range [][2]string{{`"columns":2`, `"columns":3`}, {`"columns":2`, `"columns":0`}, {`"threshold":`, `"threshold":1`}, {`"variance":"`, `"variance":"1`}, {`"most":30`, `"most":0`}, {`"delta":"0.0000000005"`, `"delta":"0.5"`}} {
			text := strings.Replace(string(account.description), change[0], change[1], 1)
			if text == string(account.description) {
				t.Errorf("%s does not contain %s", text, change[0])
			}
			if _, err := Recompute(json.RawMessage(text)); err == nil {
				t.Errorf("%s is accepted", text)
			}
		}
	}
}

// Open categories without δ, or that a rule names, are refused before data is read.
func TestProfileCategoriesRefused(t *testing.T) {
	for _, c := range []struct {
		text, delta, want string
		most              int
	}{
		{openCategories, "0", `attribute "town" has kind = "category" but no values; write values or groups from public knowledge, or state --delta`, 0},
		{openCategories, "1e-9", "the maximum number of categories, 1001, is outside 1..1000", 1001},
		{openCategories, "1e-9", "the maximum number of categories, -1, is outside 1..1000", -1},
		{openCategories + "[[rule]]\nat_most = [\"age\", \"town\"]\n", "1e-9", "rule", 0},
		{openCategories + "[[rule]]\nfunction = \"code\"\nof = [\"town\"]\ntable = []\notherwise = \"other\"\n", "1e-9", "rule", 0},
	} {
		_, err := Profile{Name: "open.toml", Text: []byte(c.text), Epsilon: decimal(t, "1"), Delta: decimal(t, c.delta), MostCategories: c.most}.Prepare()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	p, err := Profile{Name: "open.toml", Text: []byte(openCategories), Epsilon: decimal(t, "1"), Delta: decimal(t, "1e-9")}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Release(context.Background(), Coded{}, Terms{}); err == nil {
		t.Error("coded records are accepted")
	}
}
