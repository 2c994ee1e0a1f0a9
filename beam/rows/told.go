package rows

import (
	"fmt"
	"strings"
)

// A runner tells of an error in many lines of its own, or in another process's log. What the
// functions of a pipeline say stands in it between two marks, so that Sentence finds it again.
const (
	markFrom = "[sibyl-beam: "
	markTo   = " :sibyl-beam]"
)

// Told marks an error, nil for none.
func Told(err error) error {
	if err == nil || strings.Contains(err.Error(), markFrom) {
		return err
	}
	return fmt.Errorf("%s%w%s", markFrom, err, markTo)
}

// Sentence returns what the functions of a pipeline said of its error, where they said anything.
func Sentence(err error) (said string, ok bool) {
	_, after, found := strings.Cut(err.Error(), markFrom)
	said, _, ended := strings.Cut(after, markTo)
	return said, found && ended
}
