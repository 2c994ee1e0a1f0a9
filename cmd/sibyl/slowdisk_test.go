package main

import (
	"os"
	"time"
)

// signVariable is the environment variable with the name of a file that the program creates when it
// has reached a certain step.
const signVariable = "SIBYL_TEST_SIGN"

// slow returns the command with a disk that never finishes syncing directories, or files.
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
