package count

import (
	"fmt"
	"strings"
)

// A runner tells of an error in many lines of its own, or in another process's log. What this
// package says stands in it between two marks, so that Sentence finds it again.
const (
	markFrom = "[sibyl-beam: "
	markTo   = " :sibyl-beam]"
)

// told marks an error, nil for none.
func told(err error) error {
	if err == nil || strings.Contains(err.Error(), markFrom) {
		return err
	}
	return fmt.Errorf("%s%w%s", markFrom, err, markTo)
}

// Sentence returns what this package said of an error of a pipeline that has its functions,
// where it said anything.
func Sentence(err error) (said string, ok bool) {
	_, after, found := strings.Cut(err.Error(), markFrom)
	said, _, ended := strings.Cut(after, markTo)
	return said, found && ended
}
