package main

import (
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A picture is a plot of measurements against one of three quantities: the number of rows, the number of attributes,
// or ε. The other two quantities have their usual values. The function x returns the value of the quantity for a
// measurement, and reports whether the measurement belongs to the plot.
type picture struct {
	name, across string
	x            func(measurement) (float64, bool)
}

var pictures = []picture{
	{"rows", "rows (20 attributes, ε = 1)", func(m measurement) (float64, bool) {
		return float64(m.Rows), m.Attributes == usualAttributes && m.Epsilon == usualEpsilon
	}},
	{"attributes", "attributes (100,000 rows, ε = 1)", func(m measurement) (float64, bool) {
		return float64(m.Attributes), m.Rows == usualRows && m.Epsilon == usualEpsilon
	}},
	{"epsilon", "ε (100,000 rows, 20 attributes)", func(m measurement) (float64, bool) {
		e, err := strconv.ParseFloat(m.Epsilon, 64)
		return e, err == nil && m.Rows == usualRows && m.Attributes == usualAttributes && tasks[m.Task].private
	}},
}

// drawAll plots the time and the memory of all tasks, and writes the plots to the directory out.
func drawAll(out string, all []measurement) error {
	for _, p := range pictures {
		err := p.draw(filepath.Join(out, "seconds-by-"+p.name+".svg"), "seconds, reading included", all, func(m measurement) float64 { return m.Seconds })
		if err != nil {
			return err
		}
		err = p.draw(filepath.Join(out, "memory-by-"+p.name+".svg"), "peak memory of the process, MiB", all, func(m measurement) float64 { return m.Peak })
		if err != nil {
			return err
		}
	}
	return nil
}

// draw plots the values that the function y returns, the time or the memory of all measurements in the picture. Both
// axes are logarithmic.
func (p picture) draw(path, label string, all []measurement, y func(measurement) float64) error {
	picture := plot.New()
	picture.X.Label.Text, picture.Y.Label.Text = p.across, label
	picture.X.Scale, picture.Y.Scale = plot.LogScale{}, plot.LogScale{}
	picture.X.Tick.Marker, picture.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	picture.Legend.Top, picture.Legend.Left = true, true
	picture.Add(plotter.NewGrid())
	lines := 0
	for i, name := range taskNames() {
		var points plotter.XYs
		for _, m := range all {
			if x, drawn := p.x(m); drawn && m.Task == name && y(m) > 0 {
				points = append(points, plotter.XY{X: x, Y: y(m)})
			}
		}
		if len(points) < 2 {
			continue
		}
		lines++
		slices.SortFunc(points, func(a, b plotter.XY) int { return int(a.X*1e3) - int(b.X*1e3) })
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = colours[i], vg.Points(1.5)
		dots.Color, dots.Shape, dots.Radius = colours[i], draw.CircleGlyph{}, vg.Points(2.5)
		picture.Add(line, dots)
		picture.Legend.Add(name, line, dots)
	}
	if lines == 0 {
		return nil // a logarithmic axis needs two points
	}
	spread(&picture.X)
	spread(&picture.Y)
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w, err := picture.WriterTo(6*vg.Inch, 4*vg.Inch, "svg")
	if err != nil {
		return err
	}
	if _, err := w.WriteTo(file); err != nil {
		return err
	}
	return file.Close()
}

// spread widens an axis whose data has a single value. Otherwise the plot library would extend the axis to 0, which a
// logarithmic axis cannot show.
func spread(a *plot.Axis) {
	if a.Min == a.Max {
		a.Min, a.Max = a.Min/2, a.Max*2
	}
}

// colours are the colours of the lines, which most people with colour vision deficiencies can distinguish (Okabe and
// Ito 2008).
var colours = []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {0, 0, 0, 255}}
