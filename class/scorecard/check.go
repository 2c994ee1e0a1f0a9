package scorecard

import "github.com/sibyl-dp/sibyl/class"

func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) { panic("TODO") }
