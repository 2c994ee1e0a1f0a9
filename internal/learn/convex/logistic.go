package convex

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
)

// Logistic fits logistic regression by Newton's method, without privacy. It minimises the logistic loss over all
// rows plus ridge/2 times the squared norm of the weights. The parameter ridge must be positive. Logistic computes
// in floating point and is meant for comparisons only.
func Logistic(f *Features, d []learn.Example[[]uint16], ridge float64) (Linear, error) {
	data, err := f.Points(d)
	if err != nil {
		return Linear{}, err
	}
	w := make([]float64, f.columns)
	value := logisticLoss(data, w, ridge)
	for range 200 {
		gradient, hessian := derivatives(data, w, ridge)
		step := Solve(hessian, gradient)
		decrease := dot(step, gradient)
		if decrease <= 1e-12*(1+value) {
			break
		}
		scale := 1.0
		next := move(w, step, -scale)
		for scale > 1e-9 && logisticLoss(data, next, ridge) > value-scale*decrease/4 {
			scale /= 2
			next = move(w, step, -scale)
		}
		w, value = next, logisticLoss(data, next, ridge)
	}
	return Linear{w}, nil
}

// margin returns the margin of the labelled record p for the weights w: the score if the label is
// 1, and minus the score if it is 0.
func margin(p Point, w []float64) float64 {
	z := Linear{w}.Score(p.Row)
	if p.Label {
		return z
	}
	return -z
}

// softplus returns ln(1 + e^x).
func softplus(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// Sigmoid returns 1/(1 + e^-x).
func Sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logisticLoss(data []Point, w []float64, ridge float64) float64 {
	sum := ridge / 2 * dot(w, w)
	for _, p := range data {
		sum += float64(p.Count) * softplus(-margin(p, w))
	}
	return sum
}

// derivatives returns the gradient and the Hessian at w of the logistic loss plus the ridge penalty.
func derivatives(data []Point, w []float64, ridge float64) ([]float64, [][]float64) {
	gradient := make([]float64, len(w))
	hessian := make([][]float64, len(w))
	for i := range hessian {
		gradient[i] = ridge * w[i]
		hessian[i] = make([]float64, len(w))
		hessian[i][i] = ridge
	}
	for _, p := range data {
		s := Sigmoid(Linear{w}.Score(p.Row))
		slope := s
		if p.Label {
			slope--
		}
		slope *= float64(p.Count)
		curve := float64(p.Count) * s * (1 - s)
		for _, i := range p.Row {
			gradient[i] += slope
			for _, j := range p.Row {
				hessian[i][j] += curve
			}
		}
	}
	return gradient, hessian
}

// Solve returns the solution x of a·x = b for a positive definite matrix a. It reads only the lower triangle of a,
// and overwrites this triangle with the Cholesky factor. If a pivot is not clearly positive because of rounding,
// Solve replaces it by a huge number, so that this coordinate of x is nearly 0.
func Solve(a [][]float64, b []float64) []float64 {
	for i := range a {
		lost := 0x1p-48 * a[i][i]
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			switch {
			case i == j && sum <= lost:
				a[i][i] = 0x1p512
			case i == j:
				a[i][i] = math.Sqrt(sum)
			default:
				a[i][j] = sum / a[j][j]
			}
		}
	}
	x := make([]float64, len(b))
	for i := range x {
		x[i] = (b[i] - dot(a[i][:i], x[:i])) / a[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= a[k][i] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// move returns the vector a + scale·b.
func move(a, b []float64, scale float64) []float64 {
	c := make([]float64, len(a))
	for i := range c {
		c[i] = a[i] + scale*b[i]
	}
	return c
}
