package report

// What tests outside of the package see of it.
var (
	PlainShare     = plainShare
	PlainCondition = plainCondition
)
