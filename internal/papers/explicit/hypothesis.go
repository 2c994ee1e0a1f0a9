package explicit

import "fmt"

// A Hypothesis is a named predicate with a penalty. It is public.
type Hypothesis[X any] struct {
	// Name describes the hypothesis to users.
	Name string
	// Predict returns the label of a record. It must be deterministic.
	Predict func(x X) bool
	// Penalty is the data-independent cost of the hypothesis, 0..2^40.
	Penalty int64
}

// A Labelling is a hypothesis on a finite domain, given by the label of each record of the domain.
type Labelling struct {
	Name    string
	Labels  []bool // the labels of the records of the domain, in the order of the domain
	Penalty int64
}

// Labellings converts labellings of a finite public domain to hypotheses. The function key must map different records
// of the domain to different keys; a record is looked up in the domain by its key, in one map access. A hypothesis
// predicts label 0 for a record whose key is not that of any record of the domain.
func Labellings[X any, K comparable](domain []X, key func(X) K, labellings []Labelling) ([]Hypothesis[X], error) {
	place := make(map[K]int, len(domain))
	for i, x := range domain {
		if first, twice := place[key(x)]; twice {
			return nil, fmt.Errorf("explicit: the keys of records must differ, but records %d and %d of the domain have the same key", first+1, i+1)
		}
		place[key(x)] = i
	}
	hypotheses := make([]Hypothesis[X], len(labellings))
	for i, l := range labellings {
		if len(l.Labels) != len(domain) {
			return nil, fmt.Errorf("explicit: hypothesis %d (%s) has %d labels, but the domain has %d records", i+1, l.Name, len(l.Labels), len(domain))
		}
		hypotheses[i] = Hypothesis[X]{Name: l.Name, Penalty: l.Penalty, Predict: func(x X) bool {
			at, ok := place[key(x)]
			return ok && l.Labels[at]
		}}
	}
	return hypotheses, nil
}
