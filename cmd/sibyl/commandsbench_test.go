package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkCommands runs each command on the sample in this process. The commands have fixed seeds, so that two
// versions of the program do the same work.
func BenchmarkCommands(b *testing.B) {
	directory, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	b.Chdir(b.TempDir())
	for _, name := range sampleFiles {
		text, err := os.ReadFile(filepath.Join(directory, "sample", name))
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	const data = " --data hospital.csv --schema hospital.toml --insecure-seed 1 --force --epsilon 1"
	for _, c := range []string{
		"check --data hospital.csv --schema hospital.toml",
		"plan --schema hospital.toml --epsilon 1 --rows 2000",
		"learn --out chosen.json --rows 2000" + data,
		"learn tree --out tree.json" + data,
		"learn scorecard --out card.json" + data,
		"learn sparse --out sparse.json" + data,
		"learn conjunction --out conjunction.json" + data,
		"learn decision-list --rules 1 --out list.json" + data,
		"learn naive-bayes --out bayes.json" + data,
		"learn logistic --delta 1e-6 --rows 2000 --out logistic.json" + data,
		"learn scorecard --mechanism rspm --out rspm.json" + data,
		"synth --delta 1e-6 --out rows.csv --model rows.json --data hospital.csv --schema hospital.toml --insecure-seed 1 --force --epsilon 1",
		"pairs --delta 1e-6 --out pairs.json" + data,
		"show card.json",
		"predict --model card.json --data hospital.csv --out predicted.csv --force",
		"evaluate --model card.json --data hospital.csv --epsilon 1 --insecure-seed 1",
		"optimum conjunction --data hospital.csv --schema hospital.toml",
		"compare --real hospital.csv --synthetic rows.csv --schema hospital.toml",
	} {
		words := strings.Fields(c)
		name := words[0]
		if len(words) > 1 && !strings.HasPrefix(words[1], "-") {
			name += " " + words[1]
		}
		if strings.Contains(c, "rspm") {
			name += " by rspm"
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var out, complaints bytes.Buffer
				if code := run(words, nil, &out, &complaints); code != 0 {
					b.Fatalf("sibyl %s: %s", c, complaints.String())
				}
			}
		})
	}
}
