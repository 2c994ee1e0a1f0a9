package robust

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Grouping says to which group a record belongs. PRSMA divides the groups of a table among
// its parts, and then each group by itself with coins of its own, so that no one need hold
// more than a group or a part. It is public. The division is uniform whatever the groups are
// (docs/explanation/proofs/prsma.md, section 10).
type Grouping[X any] struct {
	Groups int
	Of     func(x X, label bool) int // 0..Groups-1
}

// The sizes of groups: of some thousand rows each, as long as that many groups with the numbers
// of all parts fit into memory.
const (
	groupRows   = 1 << 12
	mostGroups  = 1 << 12
	mostNumbers = 1 << 22 // of groups times parts
)

// RecordGroups groups records by a checksum of their codes and label, for a plan.
func RecordGroups(p PRSMAPlan) Grouping[table.Record] {
	groups := max(1, min(p.Rows/groupRows, mostGroups, mostNumbers/int64(p.Parts+1)))
	return Grouping[table.Record]{int(groups), func(x table.Record, label bool) int {
		var room [64]byte
		text := room[:0]
		for _, code := range x {
			text = binary.BigEndian.AppendUint16(text, code)
		}
		if label {
			text = append(text, 1)
		}
		return int(uint64(crc32.ChecksumIEEE(text)) * uint64(groups) >> 32)
	}}
}
