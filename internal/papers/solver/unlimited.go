//go:build !linux

package solver

import (
	"errors"
	"fmt"
)

// limited returns the command line of the program with args. It fails with errors.ErrUnsupported if
// p.Memory is positive, since this system cannot limit memory.
func (p Program) limited(args []string) (path string, all []string, err error) {
	if p.Memory > 0 {
		return "", nil, fmt.Errorf("solver: Memory must be 0 on this system, which cannot limit memory: %w", errors.ErrUnsupported)
	}
	return p.Path, args, nil
}
