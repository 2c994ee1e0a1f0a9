//go:build !linux

package solver

import (
	"errors"
	"fmt"
)

// limited returns the command line of the program. It fails with errors.ErrUnsupported if there is
// a limit on memory, which cannot be set on this system.
func (p Program) limited(args []string) (path string, all []string, err error) {
	if p.Memory > 0 {
		return "", nil, fmt.Errorf("solver: Memory must be 0 on this system, which cannot limit memory: %w", errors.ErrUnsupported)
	}
	return p.Path, args, nil
}
