package report

import "strings"

// A Rule is a hypothesis in sentences.
type Rule struct {
	Lines []string `json:"lines"`
}

func (r *Rule) write(b *strings.Builder) {
	for _, line := range r.Lines {
		b.WriteString(clean(line) + "\n")
	}
}
