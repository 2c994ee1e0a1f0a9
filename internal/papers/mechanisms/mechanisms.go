// Package mechanisms describes the mechanisms of the four papers that Sibyl does not run by
// default: RSPM, OPDisc and PRSMA, which minimise noisy costs with an optimisation oracle; boost;
// and OPSamp, which averages minimisers of perturbed losses. Importing this package registers them
// with package mechanism, so that they are planned, released and read like all other mechanisms.
package mechanisms

import "github.com/sibyl-dp/sibyl/internal/mechanism"

func init() {
	mechanism.Register(rspmKind, opdiscKind, prsmaKind, boostKind, opsampKind)
}
