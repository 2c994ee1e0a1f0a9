package robust

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Grouping assigns each record to a group. PRSMA first samples how many rows of each group every
// part receives (Divide), and then which ones, group by group with separate random sources (Deal).
// So a worker needs to hold only one group or one part. The grouping is public. The division into
// parts is uniform for every grouping (docs/explanation/proofs/prsma.md, section 10).
type Grouping[X any] struct {
	Groups int
	Of     func(x X, label bool) int // returns the group, 0..Groups-1
}

// RecordGroups chooses about one group per groupRows rows, at most mostGroups groups, and at most
// mostNumbers groups times parts.
const (
	groupRows   = 1 << 12
	mostGroups  = 1 << 12
	mostNumbers = 1 << 22
)

// RecordGroups returns a grouping for the plan, by a checksum of a record's codes and label.
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
