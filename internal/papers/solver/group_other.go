//go:build !unix

package solver

import "os"

// killGroup kills only p, since this system has no process groups.
func killGroup(p *os.Process) error { return p.Kill() }
