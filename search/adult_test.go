package search_test

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/shareddata"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
	"math/big"
)

func adult7(t testing.TB) []class.Point[[]uint16] {
	f, err := os.Open(shareddata.Path(t, "adult", "adult-balanced.data"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	cut := func(s string, cuts ...int) uint16 {
		v, _ := strconv.Atoi(s)
		c := 0
		for c < len(cuts) && v >= cuts[c] {
			c++
		}
		return uint16(c)
	}
	in := func(s string, groups ...string) uint16 {
		for i, g := range groups {
			for _, x := range strings.Split(g, "|") {
				if x == s {
					return uint16(i)
				}
			}
		}
		return uint16(len(groups))
	}
	m := map[string]*[2]int64{}
	for sc.Scan() {
		r := strings.Split(sc.Text(), ",")
		for i := range r {
			r[i] = strings.TrimSpace(r[i])
		}
		if len(r) < 15 {
			continue
		}
		var x []uint16
		if os.Getenv("A12") != "" {
			x = []uint16{cut(r[0], 26, 36, 46, 61), in(r[1], "Private", "Self-emp-inc", "Self-emp-not-inc"), cut(r[4], 9, 11, 13, 14),
				in(r[5], "Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent", "Married-AF-spouse"),
				in(r[6], "Exec-managerial|Prof-specialty", "Tech-support|Sales|Protective-serv", "Craft-repair", "Adm-clerical|Transport-moving|Machine-op-inspct"),
				in(r[7], "Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"),
				in(r[8], "White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"),
				in(r[9], "Female", "Male"), cut(r[10], 1, 5001), cut(r[11], 1), cut(r[12], 35, 41), in(r[13], "United-States")}
		} else {
			x = []uint16{cut(r[0], 26, 36, 46, 61), cut(r[4], 9, 11, 13, 14), in(r[5], "Married-civ-spouse", "Never-married", "Divorced"),
				cut(r[12], 35, 41), in(r[9], "Female", "Male"), cut(r[10], 1), in(r[6], "Exec-managerial|Prof-specialty", "Craft-repair|Sales|Tech-support|Protective-serv", "Adm-clerical|Machine-op-inspct|Transport-moving")}
		}
		b := make([]byte, len(x))
		for i, c := range x {
			b[i] = byte(c)
		}
		e := m[string(b)]
		if e == nil {
			e = new([2]int64)
			m[string(b)] = e
		}
		if strings.HasPrefix(r[14], ">") {
			e[0]++
		} else {
			e[1]++
		}
	}
	var out []class.Point[[]uint16]
	for k, e := range m {
		x := make([]uint16, len(k))
		for i := range x {
			x[i] = uint16(k[i])
		}
		out = append(out, class.Point[[]uint16]{X: x, Cost: *e})
	}
	return out
}

func TestSampleAdult(t *testing.T) {
	v := 1
	if s := os.Getenv("V"); s != "" {
		v, _ = strconv.Atoi(s)
	}
	eps := big.NewRat(1, 2)
	if s := os.Getenv("EPS"); s != "" {
		eps.SetString(s)
	}
	lambda := new(big.Rat).Quo(eps, big.NewRat(2, 1))
	pts := adult7(t)
	cats := []int{5, 5, 4, 3, 2, 2, 4}
	if os.Getenv("A12") != "" {
		cats = []int{5, 4, 5, 7, 5, 6, 5, 2, 3, 2, 3, 2}
	}
	var as []scorecard.Attribute
	for _, c := range cats {
		as = append(as, scorecard.OneHot(c, -v, v))
	}
	c, err := scorecard.New(as, scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := class.Problem[[]uint16]{Points: pts}
	tree, err := c.Tree(p)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	n := 5
	if s := os.Getenv("N"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	for range n {
		t1 := time.Now()
		h, e, err := search.SampleEffort(context.Background(), tree, lambda, noise.Crypto())
		if err != nil {
			t.Fatal(err)
		}
		cost := class.Cost(c, p, h)
		sum += cost
		t.Log("sample", time.Since(t1), "cost", cost, e)
	}
	t.Log("accuracy", 1-float64(sum)/float64(n)/15682)
}

func TestExplore(t *testing.T) {
	v, _ := strconv.Atoi(os.Getenv("V"))
	eps := big.NewRat(1, 2)
	eps.SetString(os.Getenv("EPS"))
	lambda := new(big.Rat).Quo(eps, big.NewRat(2, 1))
	pts := adult7(t)
	cats := []int{5, 5, 4, 3, 2, 2, 4}
	var as []scorecard.Attribute
	for _, c := range cats {
		as = append(as, scorecard.OneHot(c, -v, v))
	}
	c, _ := scorecard.New(as, scorecard.Options{Threshold: 1})
	tree, _ := c.Tree(class.Problem[[]uint16]{Points: pts})
	if os.Getenv("DEPTHS") != "" {
		search.Depths(t, tree, lambda, noise.Crypto())
		return
	}
	search.Explore(t, tree, lambda, noise.Crypto())
}
