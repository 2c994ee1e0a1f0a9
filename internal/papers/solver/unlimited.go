//go:build !linux

package solver

import (
	"errors"
	"fmt"
)

// limited refuses a limit, which this system does not know how to set.
func (p Program) limited(args []string) (path string, all []string, err error) {
	if p.Memory > 0 {
		return "", nil, fmt.Errorf("solver: a limit on memory: %w", errors.ErrUnsupported)
	}
	return p.Path, args, nil
}
