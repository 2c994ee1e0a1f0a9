package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
)

// A process is the id of a process of a database server on this machine.
type process int

// processOf returns the process of the database server that listens at the given location.
func processOf(location string) (process, error) {
	u, err := database.Parse(location)
	if err != nil {
		return 0, err
	}
	query, below := "SHOW data_directory", "postmaster.pid"
	if u.Dialect() == database.MySQL {
		query, below = "SELECT @@pid_file", ""
	}
	var pid process
	err = withServer(location, func(db *sql.DB) error {
		var path string
		if err := db.QueryRow(query).Scan(&path); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(path, below))
		if err == nil {
			_, err = fmt.Sscan(string(text), &pid)
		}
		return err
	})
	return pid, err
}

func processesOf(locations ...string) (all []process, err error) {
	for _, location := range locations {
		p, err := processOf(location)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// seconds returns the CPU time that the processes have used so far, with that of their children that have
// ended.
func seconds(of []process) (float64, error) {
	ticks := 0
	for _, pid := range of {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0, err
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		for _, field := range fields[11:15] {
			var n int
			if _, err := fmt.Sscan(field, &n); err != nil {
				return 0, err
			}
			ticks += n
		}
	}
	return float64(ticks) / 100, nil
}
