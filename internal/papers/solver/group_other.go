//go:build !unix

package solver

import "os"

// killGroup kills p; there are no groups here.
func killGroup(p *os.Process) error { return p.Kill() }
