// Command sibyl learns scorecards from private tables with differential
// privacy. Run "sibyl demo" to see all of it on a made-up sample.
package main

import (
	"os"

	_ "github.com/sibyl-dp/sibyl/cmd/sibyl/drivers"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
