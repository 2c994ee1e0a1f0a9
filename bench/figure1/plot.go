package main

import (
	"fmt"
	"image/color"
	"io"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
)

// plotAccuracy plots the mean accuracy of every method on an instance against ε, with error bars of one standard
// deviation. A method that does not depend on ε is a horizontal line. The format is svg or png.
func plotAccuracy(w io.Writer, format, instance string, all []experiment.Summary) error {
	p := plot.New()
	p.Title.Text = instance
	p.X.Label.Text = "ε"
	p.Y.Label.Text = "training accuracy"
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.LogTicks{Prec: -1}
	p.Legend.ThumbnailWidth = vg.Points(24)
	p.Legend.Padding = vg.Points(2)
	p.Add(plotter.NewGrid())
	least, most := epsilons(all)
	for i, g := range experiment.ByMethod(instance, all) {
		style := draw.LineStyle{Color: colour(i), Width: vg.Points(1.5), Dashes: dashes(i)}
		if g[0].Epsilon == "" {
			y := g[0].Mean
			line, err := plotter.NewLine(plotter.XYs{{X: least, Y: y}, {X: most, Y: y}})
			if err != nil {
				return err
			}
			line.LineStyle = style
			line.Dashes = []vg.Length{vg.Points(1), vg.Points(3)}
			p.Add(line)
			p.Legend.Add(label(g), line)
			continue
		}
		points, err := series(g)
		if err != nil {
			return err
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.LineStyle, dots.Color, dots.Shape, dots.Radius = style, style.Color, draw.CircleGlyph{}, vg.Points(2)
		bars, err := plotter.NewYErrorBars(points)
		if err != nil {
			return err
		}
		bars.Color = style.Color
		p.Add(line, dots, bars)
		p.Legend.Add(label(g), line, dots)
	}
	p.X.Max = 8 * most // space for the legend
	p.Legend.XOffs = -vg.Points(6)
	return write(p, w, format, 10*vg.Inch, 7*vg.Inch)
}

// plotTimes plots a histogram of the running times of every method on an instance. The limits of its bins are powers
// of two, in milliseconds.
func plotTimes(w io.Writer, format, instance string, results []experiment.Result) error {
	p := plot.New()
	p.Title.Text = instance
	p.X.Label.Text = "running time of one trial, ms"
	p.Y.Label.Text = "trials"
	counts := map[string][]float64{}
	var names []string
	const bins = 17 // 1 ms to 2^15 ms, and more
	for _, r := range results {
		if r.Instance != instance {
			continue
		}
		if counts[r.Method] == nil {
			counts[r.Method] = make([]float64, bins)
			names = append(names, r.Method)
		}
		bin := 0
		for limit := time.Millisecond; r.Time > limit && bin < bins-1; limit *= 2 {
			bin++
		}
		counts[r.Method][bin]++
	}
	labels := make([]string, bins)
	for i := range labels {
		labels[i] = fmt.Sprint(1 << i)
	}
	labels[bins-1] = "more"
	var below *plotter.BarChart
	for i, name := range names {
		bars, err := plotter.NewBarChart(plotter.Values(counts[name]), vg.Points(18))
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = colour(i), 0
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
		p.Legend.Add(name, bars)
	}
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	p.Legend.XOffs = -vg.Points(6)
	p.NominalX(labels...)
	return write(p, w, format, 10*vg.Inch, 6*vg.Inch)
}

// label returns the text for a method in the legend of the plot.
func label(method []experiment.Summary) string {
	return method[0].Method + " (" + method[0].Promise + ")"
}

// epsilons returns the range of ε in the summaries, extended to contain 1.
func epsilons(all []experiment.Summary) (least, most float64) {
	least, most = 1, 1
	for _, s := range all {
		if e, err := strconv.ParseFloat(s.Epsilon, 64); err == nil {
			least, most = min(least, e), max(most, e)
		}
	}
	return least, most
}

// points holds the mean accuracies of a method at each ε, with their standard deviations, for a plot.
type points struct {
	plotter.XYs
	plotter.YErrors
}

func series(summaries []experiment.Summary) (points, error) {
	var p points
	for _, s := range summaries {
		e, err := strconv.ParseFloat(s.Epsilon, 64)
		if err != nil {
			return p, err
		}
		p.XYs = append(p.XYs, plotter.XY{X: e, Y: s.Mean})
		p.YErrors = append(p.YErrors, struct{ Low, High float64 }{s.Deviation, s.Deviation})
	}
	return p, nil
}

// colours are the colours of the lines, which most people with colour vision deficiencies can distinguish (Okabe and
// Ito 2008). The last ones are darker and lighter variants.
var colours = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255}, {150, 140, 0, 255},
	{0, 60, 100, 255}, {130, 50, 0, 255}, {0, 85, 60, 255}, {110, 60, 90, 255},
	{140, 195, 225, 255}, {245, 175, 135, 255}, {140, 215, 185, 255}, {235, 195, 215, 255}, {245, 220, 150, 255},
}

func colour(i int) color.Color { return colours[i%len(colours)] }

// dashes returns the dash pattern of the line of method i. Methods with the same colour have different patterns.
func dashes(i int) []vg.Length {
	if i < len(colours) {
		return nil
	}
	return []vg.Length{vg.Points(6), vg.Points(2)}
}

func write(p *plot.Plot, w io.Writer, format string, width, height vg.Length) error {
	picture, err := p.WriterTo(width, height, format)
	if err != nil {
		return err
	}
	_, err = picture.WriteTo(w)
	return err
}
