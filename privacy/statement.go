package privacy

// A Statement is a guarantee as it is told to people: ε and δ, which is 0 where the
// guarantee is pure.
type Statement struct {
	Epsilon  Decimal      `json:"epsilon"`
	Delta    Decimal      `json:"delta"`
	Relation Relation     `json:"relation"`
	Assumes  []Assumption `json:"assumes"`
}

// State returns what to tell of a guarantee that is pure, Approximate, or composed of
// such: the ε and the δ of all parts add up. It fails for others, which have a curve of
// (ε, δ).
func State(g Guarantee) (*Statement, error) {
	var delta Decimal
	var err error
	switch g := g.(type) {
	case Approximate:
		return &Statement{g.Epsilon(), g.DeltaAtEpsilon(), g.Relation(), g.Assumes()}, nil
	case Composed:
		if delta, err = exactly(g.total.failure()); err != nil {
			return nil, err
		}
	}
	epsilon, err := Epsilon(g, delta)
	if err != nil {
		return nil, err
	}
	return &Statement{epsilon, delta, g.Relation(), g.Assumes()}, nil
}
