package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/release"
)

// TestPanic checks that a panic of a command causes only a fixed sentence to be printed.
func TestPanic(t *testing.T) {
	err := execute(t.Context(), func() {}, func() error { panic("secret") })
	if !errors.As(err, new(release.Withheld)) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}
