package declist_test

import (
	"github.com/sibyl-dp/sibyl/class"
)

type (
	record  = []uint16
	problem = class.Problem[record]
)
