package robust

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Grouping assigns each record to a group, which is a set of records that one worker can hold in memory. With it,
// PRSMA can divide the rows of a table into parts in two steps, for which a worker needs only one group or one part:
//
//  1. For all groups and parts, sample how many rows of the group the part receives (PartSizes).
//  2. For each group, with a random source of its own, sample which rows of the group each part receives (AssignRows).
//
// The grouping is public. With every grouping, all divisions into parts are equally likely
// (docs/explanation/proofs/prsma.md, section 10).
type Grouping[X any] struct {
	Groups int                       // the number of groups
	Of     func(x X, label bool) int // returns the group of a record, 0..Groups-1
}

// These constants limit the number of groups that RecordGroups creates: about one group per groupRows rows, but at
// most mostGroups groups, and at most mostNumbers for the product of the numbers of groups and parts.
const (
	groupRows   = 1 << 12
	mostGroups  = 1 << 12
	mostNumbers = 1 << 22
)

// RecordGroups returns a grouping for the plan p in which a checksum of a record's codes and label determines its
// group.
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
