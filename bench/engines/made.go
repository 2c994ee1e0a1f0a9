package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// A made-up table has 20 attributes: ten whole numbers below 1000, cut into eight, and ten
// texts of two to ten values. What a row holds depends on one of four kinds.
const madeAttributes = 20

func madeValues(j int) int { return 2 + j%9 }

func madeSchema() string {
	var text strings.Builder
	text.WriteString("[label]\ncolumn = \"y\"\npositive = [\"yes\"]\nnegative = [\"no\"]\n")
	for j := range madeAttributes {
		fmt.Fprintf(&text, "[[attribute]]\ncolumn = \"x%d\"\n", j)
		if j%2 == 0 {
			text.WriteString("cuts = [125, 250, 375, 500, 625, 750, 875]\n")
			continue
		}
		text.WriteString("values = [")
		for v := range madeValues(j) {
			fmt.Fprintf(&text, "\"value %d\", ", v)
		}
		text.WriteString("]\n")
	}
	return text.String()
}

// writeMade writes so many rows, always the same ones.
func writeMade(path string, rows int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	for j := range madeAttributes {
		fmt.Fprintf(w, "x%d,", j)
	}
	fmt.Fprintln(w, "y")
	r := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for range rows {
		kind := r.IntN(4)
		b = b[:0]
		for j := range madeAttributes {
			if j%2 == 0 {
				b = fmt.Appendf(b, "%d,", (r.IntN(700)+100*kind)%1000)
			} else {
				b = fmt.Appendf(b, "value %d,", r.IntN(1+(madeValues(j)-1)*(1+kind)/4))
			}
		}
		if r.IntN(4) <= kind {
			b = append(b, "yes\n"...)
		} else {
			b = append(b, "no\n"...)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
