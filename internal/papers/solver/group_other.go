//go:build !unix

package solver

import "os"

// killGroup kills p only, since this system has no process groups.
func killGroup(p *os.Process) error { return p.Kill() }
