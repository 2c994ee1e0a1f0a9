package source

import (
	"io"
	"time"
)

// A meter reports progress: at most every 100 ms, it calls a function with the number of bytes read
// so far and the total number.
type meter struct {
	report func(done, total int64)
	done   int64
	total  int64
	last   time.Time
}

func newMeter(report func(done, total int64), total int64) *meter {
	return &meter{report: report, total: total, last: time.Now()}
}

func (m *meter) add(n int64) {
	m.done += n
	if m.report == nil {
		return
	}
	if now := time.Now(); now.Sub(m.last) >= 100*time.Millisecond {
		m.last = now
		m.report(m.done, m.total)
	}
}

// A meteredReader counts the bytes that are read through it in a meter.
type meteredReader struct {
	r io.Reader
	m *meter
}

func (r meteredReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.m.add(int64(n))
	return n, err
}
