package main

import (
	"os"
	"time"
)

// signVariable is the environment variable with the name of a file that the program creates when it syncs a file or
// directory to the slow disk.
const signVariable = "SIBYL_TEST_SIGN"

// slow returns the main function of the command, with a simulated disk that never finishes syncing directories if
// directories is set, and files otherwise.
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
