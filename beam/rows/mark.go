package rows

import (
	"fmt"
	"strings"
)

// A runner adds many lines to an error of a function in a pipeline, or writes it to the log of another process. Mark
// puts the message of such an error between two marks, so that Sentence can find it.
const (
	markFrom = "[sibyl-beam: "
	markTo   = " :sibyl-beam]"
)

// Mark returns err with its message between markFrom and markTo. If err is nil, Mark returns nil.
func Mark(err error) error {
	if err == nil || strings.Contains(err.Error(), markFrom) {
		return err
	}
	return fmt.Errorf("%s%w%s", markFrom, err, markTo)
}

// Sentence returns the message between the marks in an error of a runner, and reports whether there is one.
func Sentence(err error) (said string, ok bool) {
	_, after, found := strings.Cut(err.Error(), markFrom)
	said, _, ended := strings.Cut(after, markTo)
	return said, found && ended
}
