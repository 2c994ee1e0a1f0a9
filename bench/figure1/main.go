// Figure1 draws the results of "sibyl-bench figure1 --out DIR", from DIR/trials.csv:
//
//	go run . DIR
//
// For every instance it draws the accuracies and the running times, as SVG and PNG files in DIR. It is a separate
// module, since only this program needs a library for drawing.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: figure1 DIR")
	}
	if err := drawAll(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// drawAll reads the results of the trials in the directory and draws the plots.
func drawAll(directory string) error {
	file, err := os.Open(filepath.Join(directory, "trials.csv"))
	if err != nil {
		return err
	}
	defer file.Close()
	results, err := experiment.ReadTrials(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	summaries := experiment.Summarise(results)
	var instances []string
	for _, r := range results {
		if !slices.Contains(instances, r.Instance) {
			instances = append(instances, r.Instance)
		}
	}
	for i, instance := range instances {
		for _, format := range []string{"svg", "png"} {
			err := create(filepath.Join(directory, fmt.Sprintf("figure1-accuracy-%d.%s", i+1, format)), func(w io.Writer) error {
				return plotAccuracy(w, format, instance, summaries)
			})
			if err != nil {
				return err
			}
			err = create(filepath.Join(directory, fmt.Sprintf("figure1-times-%d.%s", i+1, format)), func(w io.Writer) error {
				return plotTimes(w, format, instance, results)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// create creates a file, whose content the function fill writes.
func create(path string, fill func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := fill(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
