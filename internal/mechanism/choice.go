package mechanism

import (
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
)

// A Choice is a mechanism with parameters that a Go program selects. It has no exported methods, because structs of
// public packages return it.
type Choice struct {
	name string
	set  func(Mechanism) bool
}

// Choose returns the choice of the mechanism with this name. set sets the parameters of a mechanism that has the
// defaults, and reports whether the mechanism has the expected type.
func Choose(name string, set func(Mechanism) bool) Choice { return Choice{name, set} }

// Make returns the chosen mechanism for forms of kind k.
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
