package shareddata

import (
	"encoding/csv"
	"os"
	"slices"
	"testing"
)

// A Coded is a data set whose records consist of category codes.
type Coded struct {
	Records [][]uint16
	Labels  []bool
	Sizes   []int // the number of categories of each attribute
}

// Codes reads a data set from comma-separated text without a header, in which every column is categorical. The
// parameter elements holds the elements of the file's path below the data directory (see Path). If the file is
// missing, Codes skips the test.
//
// The column with the index label becomes the label, which is true for rows with the given positive value. All other
// columns are attributes. The code of a category is its rank among the sorted categories of its column. Such codes
// depend on the records, so Codes is for tests only.
func Codes(t testing.TB, label int, positive string, elements ...string) Coded {
	t.Helper()
	file, err := os.Open(Path(t, elements...))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := Coded{Records: make([][]uint16, len(rows))}
	for _, row := range rows {
		out.Labels = append(out.Labels, row[label] == positive)
	}
	for j := range rows[0] {
		if j == label {
			continue
		}
		var values []string
		for _, row := range rows {
			values = append(values, row[j])
		}
		slices.Sort(values)
		values = slices.Compact(values)
		for i, row := range rows {
			code, _ := slices.BinarySearch(values, row[j])
			out.Records[i] = append(out.Records[i], uint16(code))
		}
		out.Sizes = append(out.Sizes, len(values))
	}
	return out
}
