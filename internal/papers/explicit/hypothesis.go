package explicit

import "fmt"

// A Hypothesis is a named predicate. All of it is public.
type Hypothesis[X any] struct {
	// Name says for people what the hypothesis is.
	Name string
	// Predict returns the label of a record, the same at every call.
	Predict func(x X) bool
	// Penalty is the data-independent cost of the hypothesis, 0..2^40.
	Penalty int64
}

// A Labelling is a hypothesis given by its truth table.
type Labelling struct {
	Name    string
	Labels  []bool // of the records of the domain, in its order
	Penalty int64
}

// Labellings returns the hypotheses that label the records of a finite public
// domain as given. The key of a record tells it from all others of the domain;
// records with another key are labelled 0. A prediction takes one look-up.
func Labellings[X any, K comparable](domain []X, key func(X) K, labellings []Labelling) ([]Hypothesis[X], error) {
	place := make(map[K]int, len(domain))
	for i, x := range domain {
		if first, twice := place[key(x)]; twice {
			return nil, fmt.Errorf("explicit: records %d and %d of the domain have the same key", first+1, i+1)
		}
		place[key(x)] = i
	}
	hypotheses := make([]Hypothesis[X], len(labellings))
	for i, l := range labellings {
		if len(l.Labels) != len(domain) {
			return nil, fmt.Errorf("explicit: hypothesis %d (%s) has %d labels for a domain of %d records", i+1, l.Name, len(l.Labels), len(domain))
		}
		hypotheses[i] = Hypothesis[X]{Name: l.Name, Penalty: l.Penalty, Predict: func(x X) bool {
			at, ok := place[key(x)]
			return ok && l.Labels[at]
		}}
	}
	return hypotheses, nil
}
