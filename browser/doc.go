// Package browser tests sibyl serve in headless Chromium. It is a separate module, so that the library does not
// depend on the driver of the browser.
package browser
