package web

// A reviewed release waits for a confirmation.
type reviewed struct{}
