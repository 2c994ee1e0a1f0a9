package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestBar checks that the bar shows no number, erases itself, and writes only to terminals.
func TestBar(t *testing.T) {
	var screen bytes.Buffer
	b := &bar{w: &screen}
	draw := b.draw()
	for _, total := range []int64{0, 1000} {
		for done := int64(0); done <= 1000; done += 100 {
			draw(done, total)
		}
	}
	b.erase()
	text := strings.ReplaceAll(screen.String(), "\x1b[K", "")
	if strings.ContainsAny(text, "0123456789\n") || !strings.HasSuffix(screen.String(), "\r\x1b[K") {
		t.Errorf("drawn: %q", screen.String())
	}
	length := screen.Len()
	if b.erase(); screen.Len() != length {
		t.Error("erased twice")
	}
	if new(bar).draw() != nil {
		t.Error("drawn off a terminal")
	}
}
