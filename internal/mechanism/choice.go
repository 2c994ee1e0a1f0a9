package mechanism

import (
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
)

// A Choice is a mechanism that a Go program selects, together with its parameters. It has no exported methods,
// because structs of public packages contain it.
type Choice struct {
	name string
	set  func(Mechanism) bool
}

// Choose returns the choice of the mechanism with this name. The function set receives the mechanism with its default
// parameters and changes them. It returns false if the mechanism has another type than expected.
func Choose(name string, set func(Mechanism) bool) Choice { return Choice{name, set} }

// Make creates the chosen mechanism, with its parameters, for forms of kind k. It returns an error if the mechanism
// does not support them.
func Make(c Choice, k model.Kind) (Kind, Mechanism, error) {
	kind, err := Named(k, c.name)
	if err != nil {
		return Kind{}, nil, err
	}
	m := kind.Ask()
	if !c.set(m) {
		return Kind{}, nil, parameter.Errorf("{mechanism}: a mechanism with these parameters does not support {class} %s", k.Name)
	}
	return kind, m, nil
}
