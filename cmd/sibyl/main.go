// Command sibyl learns readable models from private tables, and makes synthetic data from them,
// with differential privacy. Run "sibyl demo" for a demonstration on a generated table.
package main

import (
	"os"

	_ "github.com/sibyl-dp/sibyl/cmd/sibyl/drivers"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
