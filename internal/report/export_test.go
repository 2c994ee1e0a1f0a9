package report

import "github.com/sibyl-dp/sibyl/internal/table"

// Names that are exported for tests outside the package.
var (
	NotUsed        = notUsed
	PlainShare     = plainShare
	PlainCondition = plainCondition
)

// Lines returns the lines of the block of attribute a on a card, in plain words or in the notation of the schema.
func Lines(a table.Attribute, points []int, plain bool) []Entry {
	return words{[]table.Attribute{a}, plain}.block(0, points).Lines
}
