// Package mechanisms describes the mechanisms of the four papers that the product does not run by
// default: those that add noise to costs and ask an oracle (RSPM, OPDisc, PRSMA), boosting, and
// the sampling of perturbed minimisers (OPSamp). Importing it registers them with package
// mechanism, beside which they are planned, released and read like all others.
package mechanisms

import "github.com/sibyl-dp/sibyl/internal/mechanism"

func init() {
	mechanism.Register(rspmKind, opdiscKind, prsmaKind, boostKind, opsampKind)
}
