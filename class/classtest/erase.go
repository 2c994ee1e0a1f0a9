package classtest

import "github.com/sibyl-dp/sibyl/class"

// Erase returns the case c with the class class.Erase(c.Class), whose hypotheses have type any.
// Tests of class.Erase use it.
func Erase[X, H any](c Case[X, H]) Case[X, any] {
	return Case[X, any]{Class: class.Erase(c.Class).(class.Enumerable[X, any]), Domain: c.Domain}
}
