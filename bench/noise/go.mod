module github.com/sibyl-dp/sibyl/bench/noise

go 1.26.0

require (
	github.com/google/differential-privacy/go/v3 v3.0.0
	github.com/sibyl-dp/sibyl v0.0.0
)

require (
	github.com/golang/glog v1.2.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace github.com/sibyl-dp/sibyl => ../..
