// Package mechanisms describes those mechanisms of the four papers that Sibyl does not run by
// default:
//
//   - RSPM, OPDisc and PRSMA minimize noisy costs with an optimization oracle.
//   - Boost trains on several parts of the rows and selects one of the results.
//   - OPSamp averages minimizers of perturbed losses.
//
// Importing this package registers these mechanisms with package mechanism, so that they are planned,
// released and read like all other mechanisms.
package mechanisms

import "github.com/sibyl-dp/sibyl/internal/mechanism"

func init() {
	mechanism.Register(rspmKind, opdiscKind, prsmaKind, boostKind, opsampKind)
}
