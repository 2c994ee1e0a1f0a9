package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

const trials = `instance,method,promise,epsilon,accuracy,seconds
coin,yes,pure,0.1,0.375,0.001
coin,yes,pure,0.1,0.5,0.002
coin,yes,pure,1,0.625,0.004
coin,best,NOT PRIVATE,,0.875,40
`

func TestDrawAll(t *testing.T) {
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "trials.csv"), []byte(trials), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := drawAll(directory); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"figure1-accuracy-1", "figure1-times-1"} {
		drawn, err := os.ReadFile(filepath.Join(directory, name+".svg"))
		if err != nil || !bytes.Contains(drawn, []byte("<svg")) || !bytes.Contains(drawn, []byte("best")) {
			t.Errorf("%s.svg: no picture: %.200s, %v", name, drawn, err)
		}
		drawn, err = os.ReadFile(filepath.Join(directory, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(drawn)); err != nil {
			t.Errorf("%s.png: %v", name, err)
		}
	}
}
