package main

import (
	"os"
	"time"
)

// signVariable is the variable that names a file which tells that a program has come so far.
const signVariable = "SIBYL_TEST_SIGN"

// slow returns the command with a disk that never has a directory, or never a file.
func slow(directories bool) func() {
	return func() {
		toDisk = func(f *os.File) error {
			if info, err := f.Stat(); err != nil || info.IsDir() != directories {
				return f.Sync()
			}
			os.WriteFile(os.Getenv(signVariable), []byte("there"), 0o600)
			time.Sleep(time.Hour)
			return nil
		}
		main()
	}
}
