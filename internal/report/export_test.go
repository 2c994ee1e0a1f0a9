package report

// Names that are exported for tests outside the package.
var (
	PlainShare     = plainShare
	PlainCondition = plainCondition
)
