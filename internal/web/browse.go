package web

import (
	"errors"
	"os"
	"os/exec"
	"runtime"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// Browse opens a file with the desktop's browser. It returns an error if no browser can be opened, for example
// because this machine has no desktop.
func Browse(path string) error {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", path)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", path)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return errors.New("no browser can be opened, because this machine has no desktop")
		}
		cmd = exec.Command("xdg-open", path)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var group parallel.Group
	group.Go(func() { cmd.Wait() })
	return nil
}
