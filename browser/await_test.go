package browser

import "github.com/chromedp/cdproto/runtime"

// awaits makes an evaluation wait for a promise.
func awaits(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
