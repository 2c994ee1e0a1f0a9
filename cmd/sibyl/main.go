// Command sibyl learns scorecards from private tables with differential privacy. Run "sibyl demo"
// for a demonstration on a generated sample.
package main

import (
	"os"

	_ "github.com/sibyl-dp/sibyl/cmd/sibyl/drivers"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
