package rows

import (
	"fmt"
	"strings"
)

// A runner wraps an error in many lines of its own, or writes it to the log of another process. Told puts
// the message of a pipeline's function between two marks, so that Sentence can find it.
const (
	markFrom = "[sibyl-beam: "
	markTo   = " :sibyl-beam]"
)

// Told marks the message of an error; it returns nil for nil.
func Told(err error) error {
	if err == nil || strings.Contains(err.Error(), markFrom) {
		return err
	}
	return fmt.Errorf("%s%w%s", markFrom, err, markTo)
}

// Sentence returns the message that a function of the pipeline marked, and whether there is one.
func Sentence(err error) (said string, ok bool) {
	_, after, found := strings.Cut(err.Error(), markFrom)
	said, _, ended := strings.Cut(after, markTo)
	return said, found && ended
}
