package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
)

// A bar is a line on the terminal (standard error) that shows progress: a text, or how much of the data is read,
// as a drawing without numbers. The method erase removes the line. A bar shows nothing if standard error is not a
// terminal.
type bar struct {
	w    io.Writer // nil if standard error is not a terminal
	beat int
	at   bool // whether the line of the terminal shows a text or a drawing now
}

const barWidth = 24

func newBar(cmd *cobra.Command) *bar {
	if f, ok := cmd.ErrOrStderr().(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		return &bar{w: f}
	}
	return &bar{}
}

// draw returns a function for source.Options.Progress that shows how much of the data is read. It returns nil if
// standard error is not a terminal.
func (b *bar) draw() func(done, total int64) {
	if b.w == nil {
		return nil
	}
	return func(done, total int64) {
		b.at = true
		b.beat++
		line := []rune(strings.Repeat("·", barWidth))
		if total > 0 {
			for i := range int(float64(done) / float64(total) * barWidth) {
				line[min(i, barWidth-1)] = '━'
			}
		} else {
			line[b.beat%barWidth] = '━'
		}
		fmt.Fprintf(b.w, "\rreading %s", string(line))
	}
}

// tell shows a line of text on the bar, in place of its previous content.
func (b *bar) tell(format string, args ...any) {
	if b.w != nil {
		b.at = true
		fmt.Fprintf(b.w, "\r\x1b[K"+format, args...)
	}
}

// erase removes the bar from the terminal.
func (b *bar) erase() {
	if b.at {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.at = false
	}
}
