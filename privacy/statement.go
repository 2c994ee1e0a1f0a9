package privacy

// A Statement is a guarantee as it is told to people: ε and δ, which is 0 where the
// guarantee is pure.
type Statement struct {
	Epsilon  Decimal      `json:"epsilon"`
	Delta    Decimal      `json:"delta"`
	Relation Relation     `json:"relation"`
	Assumes  []Assumption `json:"assumes"`
}

// State returns what to tell of a guarantee that is pure or Approximate. It fails for
// others, which have a curve of (ε, δ).
func State(g Guarantee) (*Statement, error) {
	if a, ok := g.(Approximate); ok {
		return &Statement{a.Epsilon(), a.DeltaAtEpsilon(), a.Relation(), a.Assumes()}, nil
	}
	epsilon, err := Epsilon(g, Decimal{})
	if err != nil {
		return nil, err
	}
	return &Statement{Epsilon: epsilon, Relation: g.Relation(), Assumes: g.Assumes()}, nil
}
