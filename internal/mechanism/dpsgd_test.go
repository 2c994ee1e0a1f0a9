package mechanism

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Parameters of a descent that are 0 get their usual values, and parameters outside their range are
// refused.
func TestDescentParameters(t *testing.T) {
	for says, m := range map[string]DPSGD{
		"":                {},
		"steps 1":         {Steps: 1},
		"most steps":      {Steps: convex.MostSteps},
		"{steps} -1":      {Steps: -1},
		"{steps} beyond":  {Steps: convex.MostSteps + 1},
		"{share} 0":       {Share: "0"},
		"{share} above 1": {Share: "1.5"},

		"{share} below 1 of persons": {Share: "0.25"},
		"{clip} 0":                   {Clip: "0"},
		"{clip} no":                  {Clip: "x"},
		"{learning-rate}":            {Rate: -1},
	} {
		if m.Share == "" {
			m.Share = "0.25"
		}
		schema := &table.Schema{}
		if strings.HasSuffix(says, " of persons") {
			schema.Person = &table.Person{Column: "id", Most: 2}
		}
		o, err := m.descent(&Setting{Schema: schema, Rows: 1000, Space: model.Additive{Kind: model.Logistic}.Space(schema)})
		name, refused := strings.CutPrefix(says, "{")
		name, _, _ = strings.Cut(name, "}")
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", says, err)
		}
		if !refused && (o.Batch != 250 || o.Steps < 1 || m.Steps > 0 && o.Steps != m.Steps || o.Rate != 1) {
			t.Errorf("%s: %+v", says, o)
		}
	}
}

// The descent smooths along the order of intervals, and of values if the schema states that they are ordered. The
// category of Other is not part of the order.
func TestDescentIsSmoothed(t *testing.T) {
	yes := true
	schema := &table.Schema{Attributes: []table.Attribute{
		{Column: "age", Cuts: decimals(t, "20", "30", "40", "50", "60", "70"), Other: "missing"},
		{Column: "floor", Values: []string{"1", "2", "3", "4", "5", "6"}, Ordered: &yes},
		{Column: "code", Values: []string{"1", "2", "3", "4", "5", "6"}, Other: "other"},
		{Column: "town", Values: []string{"Aarau", "Baden", "Zug"}, Other: "other"},
	}}
	if got, want := ordered(schema), []int{7, 6, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v ordered categories, not %v", got, want)
	}
	s := &Setting{Schema: schema, Space: model.Additive{Kind: model.Logistic}.Space(schema), Epsilon: privacytest.Decimal(t, "1"), Delta: privacytest.Decimal(t, "0.00001"), Relation: privacy.AddRemove, Rows: 100}
	mechanism := NewDPSGD()
	mechanism.Steps = 5
	smoothed, columns, _, err := mechanism.descends(s)
	if err != nil {
		t.Fatal(err)
	}
	f, err := convex.NewFeatures(columns, schema.Sizes())
	if err != nil {
		t.Fatal(err)
	}
	if f, err = f.Ordered([]int{7, 6, 0, 0}); err != nil {
		t.Fatal(err)
	}
	want, err := convex.NewDPSGDWith(f, smoothed.Descent(), smoothed.Sigma2(), s.Epsilon, s.Delta, s.Relation)
	if err != nil {
		t.Fatal(err)
	}
	var weights [2][]float64
	for i, m := range []*convex.DPSGD{smoothed, want} {
		l, err := m.Release(context.Background(), []learn.Example[[]uint16]{{X: []uint16{7, 0, 0, 0}, Label: true, Count: 50}}, noise.Insecure(1))
		if err != nil {
			t.Fatal(err)
		}
		weights[i] = l.Weights
	}
	if !slices.Equal(weights[0], weights[1]) {
		t.Errorf("weights %v, not %v", weights[0], weights[1])
	}
}

func decimals(t *testing.T, texts ...string) (all []table.Decimal) {
	t.Helper()
	for _, text := range texts {
		d, ok := table.ParseDecimal(text)
		if !ok {
			t.Fatalf("%s is not a decimal", text)
		}
		all = append(all, d)
	}
	return all
}
