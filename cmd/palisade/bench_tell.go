package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"text/tabwriter"

	"palisade/internal/bench"
	"palisade/internal/redact"
)

// tell prints the report, and writes the files that were asked for.
func (r *benchRunner) tell() error {
	if err := r.print(); err != nil {
		return err
	}
	if f := r.flags.svg; f != "" {
		if err := os.WriteFile(f, []byte(r.report.SVG()), 0o644); err != nil { //nolint:gosec // a page for everyone
			return fmt.Errorf("--svg: %w", err)
		}
	}
	if f := r.flags.markdown; f != "" {
		page := r.report.Markdown(r.chartBeside(f))
		if err := os.WriteFile(f, []byte(page), 0o644); err != nil { //nolint:gosec // a page for everyone
			return fmt.Errorf("--markdown: %w", err)
		}
	}
	return nil
}

// chartBeside is the chart's path as the page names it.
func (r *benchRunner) chartBeside(page string) string {
	if r.flags.svg == "" {
		return ""
	}
	rel, err := filepath.Rel(filepath.Dir(page), r.flags.svg)
	if err != nil {
		return r.flags.svg
	}
	return filepath.ToSlash(rel)
}

func (r *benchRunner) print() error {
	if r.flags.format == "json" {
		for _, fig := range figures(r.report) {
			if err := writeJSON(r.env.stdout, fig); err != nil {
				return err
			}
		}
		for _, a := range r.report.Absent {
			if err := writeJSON(r.env.stdout, map[string]string{"absent": a.Subject, "why": a.Why}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.env.figureTable(figures(r.report)); err != nil {
		return err
	}
	for _, a := range r.report.Absent {
		if _, err := fmt.Fprintf(r.env.stdout, "not measured: %s: %s\n", redact.EscapeLine(a.Subject), redact.EscapeLine(a.Why)); err != nil {
			return err
		}
	}
	return nil
}

// figureTable prints figures in columns.
func (e *env) figureTable(all []figure) error {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tvalue\tp95\tbaseline\tratio\trounds")
	for _, fig := range all {
		p95, base, ratio := "", "", ""
		if fig.P95 > 0 {
			p95 = fmt.Sprintf("%.2f", fig.P95)
		}
		if fig.Base > 0 {
			base, ratio = fmt.Sprintf("%.2f", fig.Base), fmt.Sprintf("%.2f×", fig.Ratio)
		}
		fmt.Fprintf(w, "%s\t%.2f %s\t%s\t%s\t%s\t%d\n", fig.Name, fig.Value, fig.Unit, p95, base, ratio, fig.Rounds)
	}
	return w.Flush()
}

// figures are a report's, one by one.
func figures(r *bench.Report) (all []figure) {
	for _, row := range r.Rows {
		for _, p := range r.Programs {
			l, ok := row.Latencies[p.Name]
			if !ok {
				continue
			}
			all = append(all, figure{
				Name: row.Subject + ": " + p.Name, Value: l.Median, Unit: "ms", P95: l.P95, Baseline: p.Baseline, Base: l.Base, Ratio: l.Ratio, Rounds: l.Samples,
				Subject: row.Subject, Program: p.Name, Measure: "latency",
			})
		}
	}
	for _, l := range r.Loads {
		name := fmt.Sprintf("%s: %s, clients %d", l.Subject, l.Program, l.Clients)
		one := figure{Subject: l.Subject, Program: l.Program, Clients: l.Clients, Baseline: "bare, " + strconv.Itoa(l.Clients) + " clients", Rounds: 1}
		rate := one
		rate.Name, rate.Measure, rate.Value, rate.Unit, rate.Base = name+": runs", "throughput", l.PerSecond, "/s", l.Base
		all = append(all, rate.withRatio())
		if l.CPU >= 0 {
			cpu := one
			cpu.Name, cpu.Measure, cpu.Value, cpu.Unit, cpu.Base = name+": CPU a run, at least", "cpu", l.CPU, "ms", l.BaseCPU
			all = append(all, cpu.withRatio())
		}
	}
	for _, p := range r.Parked {
		all = append(all,
			figure{Name: p.Subject + ": PSS of a box that waits", Measure: "pss", Subject: p.Subject, Value: float64(p.PSS) / (1 << 20), Unit: "MiB", Rounds: p.Boxes},
			figure{Name: p.Subject + ": idle CPU of a box that waits", Measure: "idle", Subject: p.Subject, Value: p.Idle, Unit: "ms/s", Rounds: p.Boxes})
	}
	return all
}

func (f figure) withRatio() figure {
	if f.Base > 0 {
		f.Ratio = f.Value / f.Base
	}
	return f
}
