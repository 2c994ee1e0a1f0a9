package rows

import (
	"fmt"
	"strings"
)

// Mark puts these marks before and after the message of an error in a pipeline. A runner adds many lines to such an
// error, or writes it to the log of another process. Sentence finds the message in the resulting text by the marks.
const (
	markFrom = "[sibyl-beam: "
	markTo   = " :sibyl-beam]"
)

// Mark returns an error with the message of err between the marks markFrom and markTo. If err is nil, it returns
// nil.
func Mark(err error) error {
	if err == nil || strings.Contains(err.Error(), markFrom) {
		return err
	}
	return fmt.Errorf("%s%w%s", markFrom, err, markTo)
}

// Sentence searches an error of a runner for a message between the two marks, and returns this message. The result
// ok is false if there is none.
func Sentence(err error) (said string, ok bool) {
	_, after, found := strings.Cut(err.Error(), markFrom)
	said, _, ended := strings.Cut(after, markTo)
	return said, found && ended
}
