package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/sibyl-dp/sibyl/experiment"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

func inst(name, schema string, bin bool) *experiment.Instance {
	f, _ := os.Open(schema)
	s, err := table.ParseSchema("s", f)
	if err != nil {
		panic(err)
	}
	t, err := source.Read(context.Background(), "/work/shared/data/adult/adult-balanced.data", s, source.Options{})
	if err != nil {
		panic(err)
	}
	if bin {
		return experiment.BinaryDigits(name, t)
	}
	return experiment.OneHot(name, t)
}

func main() {
	start := time.Now()
	which := os.Args[1]
	in := inst("adult-7", "/work/shared/data/adult/adult-7.toml", false)
	if which == "digits" {
		in = inst("digits", "experiment/adult-categories.toml", true)
	}
	methods := map[string]experiment.Method{
		"exp1": experiment.Exponential("exp 1", -1, 1), "exp2": experiment.Exponential("exp -1..2", -1, 2),
		"lap": experiment.RSPM("rspm laplace", learn.Laplace, 0), "cube": experiment.RSPM("rspm cube", learn.Cube, 0),
		"coded": experiment.RSPM("rspm coded", learn.Cube, 2), "opt": experiment.Optimum("opt 1", -1, 1), "opt2": experiment.Optimum("opt -1..2", -1, 2)}
	m := methods[os.Args[2]]
	for _, e := range os.Args[3:] {
		tr, err := m.Learn(in, e)
		if err != nil {
			panic(err)
		}
		for range 2 {
			ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
			st := time.Now()
			pr, err := tr(ctx)
			cancel()
			if err != nil {
				fmt.Println(which, m.Name, e, "no result in 15 s", err)
				break
			}
			fmt.Printf("%s %s %s %.4f %.3f s\n", which, m.Name, e, acc(in, pr), time.Since(st).Seconds())
		}
	}
	_ = start
}

func acc(in *experiment.Instance, pr experiment.Predictor) float64 {
	w := int64(0)
	for _, e := range in.Examples {
		if pr(e.X) != e.Label {
			w += e.Count
		}
	}
	return 1 - float64(w)/15682
}
