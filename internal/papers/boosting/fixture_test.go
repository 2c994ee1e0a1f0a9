package boosting_test

import "github.com/sibyl-dp/sibyl/internal/learn/learntest"

type (
	record   = learntest.Record
	card     = learntest.Card
	examples = learntest.Examples
)
