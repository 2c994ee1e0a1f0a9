package synthetic

import (
	"github.com/sibyl-dp/sibyl/internal/synth/density"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// densities estimates, for each column of the flat schema, how numbers are distributed within each category
// (package density), from the numbers of records in the categories. The entry of a column is nil if its
// categories are not intervals of numbers. Released rows and answers to questions both use these densities.
// The model must have records.
func (m *Model) densities() [][]*table.Density {
	flat := m.Layout.Flat
	of := make([][]*table.Density, len(flat.Attributes))
	ranges := make([][][2]int64, len(of))
	counts := make([][]float64, len(of))
	var ranged []int
	for j := range flat.Attributes {
		if _, r, _ := flat.Attributes[j].Written(); r != nil {
			ranged = append(ranged, j)
			ranges[j], counts[j] = r, make([]float64, flat.Attributes[j].Len())
		}
	}
	if len(ranged) == 0 {
		return of
	}
	each := m.Measured.Total() / float64(m.Records.n)
	var record []uint16
	for i := range m.Records.n {
		record = m.Layout.complete(m.Records, i, record)
		for _, j := range ranged {
			counts[j][record[j]] += each
		}
	}
	noise, bins := make([]float64, len(of)), make([]*density.Bins, len(of))
	for k, j := range m.Layout.free {
		noise[j], bins[j] = m.Measured.Columns[k].Variance(), m.bins(k)
	}
	for _, j := range ranged {
		of[j] = density.Fit(ranges[j], counts[j][:len(ranges[j])], noise[j], bins[j])
	}
	return of
}

// bins returns the measured bins of the free column k, or nil if its bins were not measured.
func (m *Model) bins(k int) *density.Bins {
	if k >= len(m.Measured.Bins) || m.Measured.Bins[k].Counts == nil {
		return nil
	}
	_, ranges, _ := m.Layout.Binned.Attributes[m.Layout.free[k]].Written()
	of := m.Measured.Bins[k]
	return &density.Bins{Ranges: ranges, Rows: of.Rows(m.Measured.Relation)[:len(ranges)], Variance: of.Variance()}
}
