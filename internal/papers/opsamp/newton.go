package opsamp

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
)

// newton returns the direction of a Newton step at the given point, in units of 2^-bits. It returns nil if the
// direction is not finite.
func (s search) newton(at point) []*big.Int {
	if s.exact {
		return s.newtonExact(at)
	}
	hessian := make([][]float64, len(at.w))
	gradient := make([]float64, len(at.w))
	for j := range hessian {
		hessian[j] = make([]float64, len(at.w))
		hessian[j][j] = s.barrierCurvature(at.w[j])
		gradient[j] = -unfix(at.gradient[j], s.bits)
	}
	for i, q := range s.data {
		curve := at.curvatures[i] * float64(q.Count)
		for a, j := range q.Row {
			for _, k := range q.Row[:a+1] {
				hessian[j][k] += curve
			}
		}
	}
	return fix(convex.Solve(hessian, gradient), s.bits)
}

// barrierCurvature returns the second derivative of the barrier by the weight w. For a weight within
// 2^-200 of a limit of the box, the result is finite and smaller than the true value.
func (s search) barrierCurvature(w *big.Int) float64 {
	up, down := s.distances(w)
	a, b := max(unfix(up, s.bits), 0x1p-200), max(unfix(down, s.bits), 0x1p-200)
	return math.Ldexp(1/(a*a)+1/(b*b), -s.level)
}

// newtonExact computes the same direction as newton with floating-point numbers of s.bits bits. The second
// derivatives have only the precision of float64, which is a small relative error.
func (s search) newtonExact(at point) []*big.Int {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(s.bits).SetFloat64(x) }
	hessian := make([][]*big.Float, len(at.w))
	x := make([]*big.Float, len(at.w))
	for j := range hessian {
		for range j {
			hessian[j] = append(hessian[j], number(0))
		}
		hessian[j] = append(hessian[j], number(s.barrierCurvature(at.w[j])))
		x[j] = number(0).SetInt(at.gradient[j])
		x[j].Neg(x[j])
	}
	for i, q := range s.data {
		curve := number(at.curvatures[i] * float64(q.Count))
		for a, j := range q.Row {
			for _, k := range q.Row[:a+1] {
				hessian[j][k].Add(hessian[j][k], curve)
			}
		}
	}
	direction := make([]*big.Int, len(x))
	for j, v := range solveBig(hessian, x) {
		direction[j], _ = v.Int(nil)
	}
	return direction
}

// solveBig solves a·y = x and returns y. The matrix a must be positive definite, and only its lower triangle is used.
// solveBig overwrites a with its LDLᵀ factors, and x with y. If rounding makes the pivot of a row zero or negative, y
// is 0 in that row.
func solveBig(a [][]*big.Float, x []*big.Float) []*big.Float {
	product := new(big.Float).SetPrec(x[0].Prec())
	ratio := make([]*big.Float, len(x))
	for k := range a {
		pivot := a[k][k]
		for i := k + 1; i < len(a); i++ {
			ratio[i] = new(big.Float).SetPrec(pivot.Prec())
			if pivot.Sign() > 0 {
				ratio[i].Quo(a[i][k], pivot)
			}
			x[i].Sub(x[i], product.Mul(ratio[i], x[k]))
			for j := k + 1; j <= i; j++ {
				a[i][j].Sub(a[i][j], product.Mul(ratio[i], a[j][k]))
			}
		}
		for i := k + 1; i < len(a); i++ {
			a[i][k] = ratio[i]
		}
	}
	for k := len(a) - 1; k >= 0; k-- {
		if pivot := a[k][k]; pivot.Sign() > 0 {
			x[k].Quo(x[k], pivot)
		} else {
			x[k].SetInt64(0)
		}
		for i := k + 1; i < len(a); i++ {
			x[k].Sub(x[k], product.Mul(a[i][k], x[i]))
		}
	}
	return x
}
