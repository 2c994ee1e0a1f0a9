package classtest

import "github.com/sibyl-dp/sibyl/class"

// Erase returns the case c with its class replaced by class.Erase of this class, whose hypotheses
// have type any. It serves to test Erase.
func Erase[X, H any](c Case[X, H]) Case[X, any] {
	return Case[X, any]{Class: class.Erase(c.Class).(class.Enumerable[X, any]), Domain: c.Domain}
}
