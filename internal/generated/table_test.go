package generated

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const (
	small = `[label]
column = "ill"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "sex"
values = ["f", "m"]
`
	multiclass = `[label]
column = "ill"
values = ["a", "b", "c"]
[[attribute]]
column = "age"
cuts = [20, 40, 60]
[[attribute]]
column = "ward"
values = ["1", "2", "3"]
[[attribute]]
column = "sex"
values = ["f", "m"]
`
)

// TestTable checks the numbers of rows, of records and of outcomes, and that the table depends only on its parameters.
func TestTable(t *testing.T) {
	for _, text := range []string{small, multiclass} {
		s := tabletest.Schema(t, text)
		for _, rows := range []int64{1, 999, 1000, 123_457} {
			rowsOf, best := Table(s, rows, 1000)
			if rowsOf.Rows() != rows || rowsOf.Nulls() != 0 || int64(rowsOf.Len()) > min(rows, 1000) {
				t.Errorf("%d rows give %d rows in %d records, of which %d are null", rows, rowsOf.Rows(), rowsOf.Len(), rowsOf.Nulls())
			}
			if again, same := Table(s, rows, 1000); !again.Equal(rowsOf) || same != best {
				t.Errorf("two tables of %d rows differ", rows)
			}
			outcomes := make([]float64, s.Outcomes())
			for i := range rowsOf.Len() {
				outcomes[rowsOf.Outcome(i)] += float64(rowsOf.Count(i)) / float64(rows)
			}
			for o, share := range outcomes {
				if rows >= 1000 && (share < 0.02 || share > best+0.1) {
					t.Errorf("outcome %d has the share %v, and the best predictor the accuracy %v", o, share, best)
				}
			}
			if best < 1/float64(len(outcomes)) || best > 1 || math.IsNaN(best) {
				t.Errorf("the best predictor has the accuracy %v", best)
			}
		}
	}
}
