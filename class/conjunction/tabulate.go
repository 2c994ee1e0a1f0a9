package conjunction

import "github.com/sibyl-dp/sibyl/class"

func (c *Class) At(i int) Formula                                    { panic("todo") }
func (c *Class) Tabulate(p class.Problem[[]uint16]) ([]int64, error) { panic("todo") }
