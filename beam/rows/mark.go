package rows

import (
	"fmt"
	"strings"
)

// The marks before and after the message of an error, which Mark adds. A runner adds many lines to an error of a
// function in a pipeline, or writes it to the log of another process. With the marks, Sentence finds the message in
// such a text.
const (
	markFrom = "[sibyl-beam: "
	markTo   = " :sibyl-beam]"
)

// Mark puts the message of err between the marks markFrom and markTo. If err is nil, it returns nil.
func Mark(err error) error {
	if err == nil || strings.Contains(err.Error(), markFrom) {
		return err
	}
	return fmt.Errorf("%s%w%s", markFrom, err, markTo)
}

// Sentence searches an error of a runner for a message between the two marks. It returns this message, and reports
// whether there is one.
func Sentence(err error) (said string, ok bool) {
	_, after, found := strings.Cut(err.Error(), markFrom)
	said, _, ended := strings.Cut(after, markTo)
	return said, found && ended
}
