package main

import (
	"flag"
	"testing"
)

// TestReachable checks that paths on this machine are refused for each runner whose workers run on other machines.
func TestReachable(t *testing.T) {
	if flag.Lookup("runner") == nil || flag.Lookup("environment_type") == nil {
		t.Fatal("Beam has no such flags")
	}
	defer flag.Set("runner", flagText("runner"))
	defer flag.Set("environment_type", flagText("environment_type"))
	for runner, remote := range map[string]bool{"prism": false, "direct": false, "dataflow": true, "flink": true, "spark": true, "samza": true, "universal": true} {
		for _, place := range []string{"", "DOCKER", "PROCESS", "LOOPBACK", "loopback"} {
			flag.Set("runner", runner)
			flag.Set("environment_type", place)
			for _, path := range []string{"a.csv", "/tmp/a.csv", "./a*.csv", "gs://bucket/a.csv", ""} {
				want := remote && place != "LOOPBACK" && place != "loopback" && path != "gs://bucket/a.csv"
				if err := reachable("data", "gs://bucket/a.csv", "out", path); (err != nil) != want {
					t.Errorf("%s, %s, %q: %v", runner, place, path, err)
				}
			}
		}
	}
}
