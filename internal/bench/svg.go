package bench

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// Sizes of the chart, in its own units.
const (
	chartWidth  = 760
	labelWidth  = 190
	figureWidth = 110
	barHeight   = 15
	barGap      = 5
	panelGap    = 34
	margin      = 14
)

// scaleLow and scaleHigh bound the chart's logarithmic scale, as ratios.
const (
	scaleLow  = 0.01
	scaleHigh = 1000
)

// SVG draws the latencies: for each program a bar for each subject, its length
// the ratio to the bare interpreter on a logarithmic scale, with a line to the
// 95th percentile.
func (r *Report) SVG() string {
	var b strings.Builder
	y := 2 * margin
	for _, p := range r.Programs {
		y = r.panel(&b, p, y)
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
<style>
svg { background: #fff } text { fill: #24292f } .grid { stroke: #d0d7de } .one { stroke: #57606a; stroke-dasharray: 3 2 } .tail { stroke: #24292f }
.bare { fill: #8c959f } .ours { fill: #0969da } .peer { fill: #bf8700 }
@media (prefers-color-scheme: dark) { svg { background: #0d1117 } text { fill: #e6edf3 } .grid { stroke: #30363d } .one { stroke: #8b949e } .tail { stroke: #e6edf3 } }
</style>
<title>Time of a run, as a multiple of the bare interpreter's (medians; line: 95th percentile)</title>
%s</svg>
`, chartWidth, y, b.String())
}

// panel draws one program and returns where the next begins.
func (r *Report) panel(b *strings.Builder, p Program, y int) int {
	fmt.Fprintf(b, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", margin, y, text(p.Name))
	top := y + barGap + 2
	var bars strings.Builder
	at := top
	for _, row := range r.Rows {
		l, ok := row.Latencies[p.Name]
		if !ok || l.Ratio <= 0 {
			continue
		}
		bar(&bars, row, l, at)
		at += barHeight + barGap
	}
	for ratio := scaleLow; ratio <= scaleHigh*1.01; ratio *= 10 {
		class := "grid"
		if math.Abs(ratio-1) < 1e-9 {
			class = "one"
		}
		x := place(ratio)
		fmt.Fprintf(b, `<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, class, x, x, top-2, at)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" font-size="9">%g×</text>`+"\n", x, at+8, ratio)
	}
	b.WriteString(bars.String())
	return at + panelGap
}

func bar(b *strings.Builder, row Row, l Latency, y int) {
	class := [...]string{"bare", "ours", "peer"}[row.Kind]
	left, right := place(scaleLow), place(l.Ratio)
	middle := float64(y) + barHeight/2.0
	fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`, labelWidth-8, middle+4, text(row.Subject))
	fmt.Fprintf(b, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d" rx="2"/>`, class, left, y, max(right-left, 1), barHeight)
	fmt.Fprintf(b, `<line class="tail" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, right, place(l.P95Ratio), middle, middle)
	fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end" font-size="11">%s · %.1f ms</text>`+"\n", chartWidth-margin, middle+4, times(l.Ratio), l.Median)
}

// place is where a ratio is on the scale.
func place(ratio float64) float64 {
	share := math.Log(min(max(ratio, scaleLow), scaleHigh)/scaleLow) / math.Log(scaleHigh/scaleLow)
	return labelWidth + share*(chartWidth-labelWidth-figureWidth-margin)
}

// text escapes what stands in the chart.
func text(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}
