package experiment

import (
	"fmt"
	"math/big"
	"math/bits"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An Instance is a table on which a Plan compares methods. It is encoded for linear models.
type Instance struct {
	Name     string
	Sizes    []int // the number of categories of each attribute
	Examples []learn.Example[[]uint16]
	Rows     int64
	// Digits reports whether all attributes are bits. Linear models then have one weight for each bit.
	Digits bool
}

// OneHot returns an instance with the table t. Linear models have one column for each category of each attribute. The
// name of the instance is the given name with the number of columns added.
func OneHot(name string, t *table.Table) *Instance {
	columns := 0
	for _, n := range t.Sizes() {
		columns += n
	}
	name = fmt.Sprintf("%s, %d columns", name, columns)
	return &Instance{Name: name, Sizes: t.Sizes(), Examples: learn.Examples(t), Rows: t.Rows()}
}

// BinaryDigits returns an instance with a transformed copy of the table t: each attribute is replaced by several
// binary attributes, the binary digits of its category codes. The name of the instance is the given name with the
// number of digits added.
func BinaryDigits(name string, t *table.Table) *Instance {
	in := &Instance{Name: name, Rows: t.Rows(), Digits: true}
	var widths []int
	for _, n := range t.Sizes() {
		w := bits.Len(uint(n - 1))
		widths = append(widths, w)
		for range w {
			in.Sizes = append(in.Sizes, 2)
		}
	}
	for _, e := range learn.Examples(t) {
		var x []uint16
		for j, c := range e.X {
			for d := range widths[j] {
				x = append(x, c>>d&1)
			}
		}
		e.X = x
		in.Examples = append(in.Examples, e)
	}
	in.Name = fmt.Sprintf("%s, %d binary digits", name, len(in.Sizes))
	return in
}

// delta returns δ = 1/n² for n rows, rounded down to four significant digits.
func (in *Instance) delta() (privacy.Decimal, error) {
	n := new(big.Int).Exp(big.NewInt(in.Rows), big.NewInt(2), nil)
	return privacy.RoundDown(new(big.Rat).SetFrac(big.NewInt(1), n), 4)
}

// errors returns the number of rows that the predictor misclassifies.
func (in *Instance) errors(predict Predictor) int64 {
	wrong := int64(0)
	for _, e := range in.Examples {
		if predict(e.X) != e.Label {
			wrong += e.Count
		}
	}
	return wrong
}
