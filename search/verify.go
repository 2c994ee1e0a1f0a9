package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
)

// ErrCertificate reports that a certificate does not prove the solution that it belongs to.
var ErrCertificate = errors.New("search: the certificate does not prove the solution")

// Verify checks that the solution s has minimum cost. It makes three checks:
//
//   - The hypothesis belongs to the class.
//   - The cost of the hypothesis, computed from the definition, is the cost that s states.
//   - Every hypothesis of the class is below a closed node, whose bound is at least this cost. The
//     class's Checker recomputes the bounds.
//
// Verify relies neither on the tree nor on the search, and it trusts no statement in s. It fails
// with an error that wraps ErrCertificate, with class.ErrRange, or with the context's error. It
// calls Checker.Down and Bound at most once for each node of the certificate.
func Verify[X, H any](ctx context.Context, c class.Class[X, H], p class.Problem[X], s Solution[H]) error {
	cert := s.Certificate
	if cert == nil {
		return fmt.Errorf("%w: it is missing", ErrCertificate)
	}
	k, err := c.Checker(p, cert.Plan)
	if errors.Is(err, class.ErrRange) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCertificate, err)
	}
	if !c.Contains(s.Hypothesis) {
		return fmt.Errorf("%w: the hypothesis does not belong to the class", ErrCertificate)
	}
	if cost := class.Cost(c, p, s.Hypothesis); cost != s.Cost || cost != cert.Cost {
		return fmt.Errorf("%w: the cost of the hypothesis is %d, but the solution states %d and the certificate %d", ErrCertificate, cost, s.Cost, cert.Cost)
	}
	if err := cert.wellFormed(); err != nil {
		return err
	}
	v := &verifier{ctx: ctx, k: k, cert: cert}
	if err := v.visit(); err != nil {
		return err
	}
	if v.at != cert.Nodes {
		return fmt.Errorf("%w: it has %d nodes, but the tree has only %d", ErrCertificate, cert.Nodes, v.at)
	}
	return nil
}

// wellFormed checks that the certificate has exactly one bit for each node, and that the unused
// bits of its last byte are 0.
func (c *Certificate) wellFormed() error {
	if c.Nodes < 1 || c.Nodes > 8*int64(len(c.Bits)) || c.Nodes <= 8*(int64(len(c.Bits))-1) {
		return fmt.Errorf("%w: it has %d bytes, but needs one bit for each of %d nodes", ErrCertificate, len(c.Bits), c.Nodes)
	}
	if used := c.Nodes % 8; used != 0 && c.Bits[len(c.Bits)-1]>>used != 0 {
		return fmt.Errorf("%w: the unused bits of its last byte must be 0, but are not", ErrCertificate)
	}
	return nil
}

// A verifier walks through the tree in depth-first order and reads the bits of the certificate in
// the same order.
type verifier struct {
	ctx  context.Context
	k    class.Checker
	cert *Certificate
	at   int64 // number of nodes read
}

// visit checks the bits of the certificate for the checker's node and all nodes below it.
func (v *verifier) visit() error {
	if v.at == v.cert.Nodes {
		return fmt.Errorf("%w: it has only %d nodes, but the tree has more", ErrCertificate, v.at)
	}
	if v.at&0xff == 0 && v.ctx.Err() != nil {
		return v.ctx.Err()
	}
	split := v.cert.Bits[v.at/8]>>(v.at%8)&1 == 1
	v.at++
	if !split {
		if quick, ok := v.k.(class.QuickChecker); ok && quick.Reaches(v.cert.Cost) {
			return nil
		}
		if bound := v.k.Bound(); bound < v.cert.Cost {
			return fmt.Errorf("%w: node %d is not split, but its bound %d is less than the cost %d", ErrCertificate, v.at, bound, v.cert.Cost)
		}
		return nil
	}
	n := v.k.Children()
	if n == 0 {
		return fmt.Errorf("%w: node %d is split but has no children", ErrCertificate, v.at)
	}
	for i := range n {
		v.k.Down(i)
		if err := v.visit(); err != nil {
			return err
		}
		v.k.Up()
	}
	return nil
}
