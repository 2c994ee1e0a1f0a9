package mechanism

import (
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
)

// A Choice is a mechanism, with its parameters, that a Go program selects instead of a command-line
// user. It has no exported methods, because structs of public packages contain it.
type Choice struct {
	name string
	set  func(Mechanism) bool
}

// Choose returns the choice of the mechanism with the given name. The function set receives the
// mechanism with its default parameters and changes them. It must return false if the mechanism
// does not have the expected Go type.
func Choose(name string, set func(Mechanism) bool) Choice { return Choice{name, set} }

// Make creates the chosen mechanism for forms of kind k, and sets its parameters. It returns an
// error if no mechanism for these forms has the chosen name, or if the mechanism does not have the
// given parameters.
func Make(c Choice, k model.Kind) (Kind, Mechanism, error) {
	kind, err := Named(k, c.name)
	if err != nil {
		return Kind{}, nil, err
	}
	m := kind.New()
	if !c.set(m) {
		return Kind{}, nil, parameter.Errorf("{mechanism}: a mechanism with these parameters does not support {class} %s", k.Name)
	}
	return kind, m, nil
}
