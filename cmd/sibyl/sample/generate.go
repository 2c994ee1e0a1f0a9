//go:build ignore

// Generate writes hospital.csv, the sample of sibyl demo: generated hospital stays, one row per
// patient, and whether the patient returned within a month. No data comes from real people.
//
// Every column except the label is sampled independently. A patient's score is a sum of integer points, and the
// log-odds of the label are a linear function of this score. So a scorecard fits well, but not perfectly. A
// few ages are missing, as in real tables.
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

const (
	patients = 2000
	steep    = 1.5 // increase of the log-odds with each point
)

// draw samples an index i of weights with probability weights[i].
func draw(r *rand.Rand, weights ...float64) int {
	u := r.Float64()
	for i, w := range weights {
		if u -= w; u < 0 {
			return i
		}
	}
	return len(weights) - 1
}

func main() {
	r := rand.New(rand.NewPCG(2018, 2020))
	var b strings.Builder
	b.WriteString("age,earlier_stays,days,admission,diagnosis,lives_alone,back_within_month\n")
	for range patients {
		age := min(max(18, int(58+20*r.NormFloat64())), 99)
		stays := int(r.ExpFloat64() * 1.2)
		days := 1 + int(r.ExpFloat64()*5)
		admission := draw(r, 0.35, 0.5, 0.15)
		diagnosis := draw(r, 0.25, 0.2, 0.3, 0.25)
		alone := draw(r, 0.65, 0.35)

		points := 0
		switch {
		case age < 40:
			points--
		case age >= 75:
			points++
		}
		switch {
		case stays == 0:
			points--
		case stays >= 3:
			points++
		}
		switch {
		case days < 3:
			points--
		case days >= 8:
			points++
		}
		points += []int{-1, 1, 0}[admission]
		points += []int{1, 1, -1, 0}[diagnosis]
		points += alone

		back := r.Float64() < 1/(1+math.Exp(-steep*(float64(points)-0.5)))
		ageText := strconv.Itoa(age)
		if r.IntN(400) == 0 {
			ageText = ""
		}
		fmt.Fprintf(&b, "%s,%d,%d,%s,%s,%s,%s\n", ageText, stays, days,
			[]string{"planned", "emergency", "transfer"}[admission],
			[]string{"heart", "lung", "surgery", "other"}[diagnosis],
			[]string{"no", "yes"}[alone], map[bool]string{false: "no", true: "yes"}[back])
	}
	if err := os.WriteFile("hospital.csv", []byte(b.String()), 0o644); err != nil {
		log.Fatal(err)
	}
}
