package robust_test

import "github.com/sibyl-dp/sibyl/internal/learntest"

type (
	record   = learntest.Record
	card     = learntest.Card
	examples = learntest.Examples
)
