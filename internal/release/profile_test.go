package release

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

const openSchema = `
[[attribute]]
column = "age"
kind = "number"
draw = "integer"
least = 0
most = 120

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
		want := table.Profile{Columns: []string{"age", "pay"}, Epsilon: "100", Delta: table.Decimal(decimal(t, c.delta).String()), Relation: c.relation, Release: p.profile.Release}
		if len(s.Profiles) != 1 || fmt.Sprint(s.Profiles[0]) != fmt.Sprint(want) {
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
		{"", false, `account does not contain the [[profile]] of the schema for column "pay", so its sum would leave that release out`},
	} {
		account := &recordingAccount{held: c.held}
		out, err := p.Release(context.Background(), people, Terms{Account: account, ProfiledElsewhere: c.elsewhere})
		if c.want == "" && (err != nil || len(out.Schema.Profiles) != 2) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || account.description != nil) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	request.Relation = privacy.AddRemove
	if _, err := request.Prepare(); err == nil || !strings.Contains(err.Error(), "relation add-remove differs from replace") {
		t.Error(err)
	}
	pairs := pairsOf(t, Pairs{Schema: mustParse(t, strings.Replace(text, "kind = \"number\"\n", "cuts = [9]\n", 1)), Relation: privacy.AddRemove})
	account := &recordingAccount{held: release}
	if _, err := pairs.Release(context.Background(), people, Terms{Account: account}); err == nil || !strings.Contains(err.Error(), "differs from replace") || account.description != nil {
		t.Error(err)
	}
}

func mustParse(t *testing.T, text string) *table.Schema {
	t.Helper()
	s, err := table.ParseSchema("s.toml", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
