package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown writes a report as a page. chart is the chart's file beside it; empty:
// there is none.
func (r *Report) Markdown(chart string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Performance

Written by `+"`%s`"+` on %s; not by hand. %s; %s; load average %.1f at the start, %.1f at the end.

Machines differ and are busy otherwise: **the ratios count**, each of medians that were measured in turns with the bare interpreter
(`+"`python3 -I`"+`, started and ended, in the same rounds). Times are of whole runs: of ours with the reading, the decision, the record on the disk and the answer.
`, r.Command, r.Date.UTC().Format("2006-01-02 15:04 MST"), r.Version, r.Machine, r.LoadBefore, r.LoadAverage)
	if chart != "" {
		fmt.Fprintf(&b, "\n![Time of a run, as a multiple of the bare interpreter's](%s)\n", chart)
	}
	r.latencies(&b)
	r.loads(&b)
	r.parked(&b)
	if len(r.Absent) > 0 {
		b.WriteString("\n## Not measured\n\n")
		for _, a := range r.Absent {
			fmt.Fprintf(&b, "- %s: %s\n", cell(a.Subject), cell(a.Why))
		}
	}
	r.subjects(&b)
	return b.String()
}

func (r *Report) latencies(b *strings.Builder) {
	fmt.Fprintf(b, "\n## One run\n\nMedian, and in brackets the 95th percentile, of up to %d rounds; ÷ the bare interpreter's median.\n\n", r.Rounds)
	header(b, append([]string{""}, r.names()...))
	for _, row := range r.Rows {
		cells := []string{cell(row.Subject)}
		for _, p := range r.Programs {
			l, ok := row.Latencies[p.Name]
			switch {
			case !ok:
				cells = append(cells, "–")
			case row.Kind == Bare:
				cells = append(cells, fmt.Sprintf("%.1f ms (%.1f)", l.Median, l.P95))
			default:
				cells = append(cells, fmt.Sprintf("**%s** (%s), %.1f ms%s", times(l.Ratio), times(l.P95Ratio), l.Median, l.warmth()))
			}
		}
		line(b, cells)
	}
}

// warmth tells of a subject that keeps boxes how many runs did not get one.
func (l Latency) warmth() string {
	if l.Warm < 0 || l.Warm == l.Samples {
		return ""
	}
	return fmt.Sprintf(", %d of %d warm", l.Warm, l.Samples)
}

func (r *Report) loads(b *strings.Builder) {
	if len(r.Loads) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Many runs\n\nRuns a second with so many clients at once, for %g s each, and processor time a run; ÷ the bare interpreter's.\n"+
		"Processor time is a lower bound for sandboxes: what a process used counts once somebody has waited for it, and nobody waits for those\nthat the kernel ends together with their namespace.\n\n", r.Seconds)
	header(b, []string{"", "program", "clients", "runs/s", "÷ bare", "CPU ms a run, at least", "÷ bare"})
	for _, l := range r.Loads {
		cpu, ratio := "–", "–"
		if l.CPU >= 0 {
			cpu = fmt.Sprintf("%.0f", l.CPU)
		}
		if l.CPU >= 0 && l.BaseCPU > 0 {
			ratio = times(l.CPU / l.BaseCPU)
		}
		rate := fmt.Sprintf("%.1f", l.PerSecond)
		if l.Failed > 0 {
			rate += fmt.Sprintf(" (%d failed)", l.Failed)
		}
		line(b, []string{cell(l.Subject), l.Program, fmt.Sprint(l.Clients), rate, share(l.PerSecond, l.Base), cpu, ratio})
	}
}

func share(value, base float64) string {
	if base <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", value/base)
}

func (r *Report) parked(b *strings.Builder) {
	if len(r.Parked) == 0 {
		return
	}
	b.WriteString("\n## Boxes that wait\n\nFor each box that was kept ready: memory (PSS), and processor time while nobody asks.\n\n")
	header(b, []string{"", "boxes", "PSS each", "CPU ms/s each"})
	for _, p := range r.Parked {
		line(b, []string{cell(p.Subject), fmt.Sprint(p.Boxes), fmt.Sprintf("%.1f MiB", float64(p.PSS)/(1<<20)), fmt.Sprintf("%.2f", p.Idle)})
	}
}

func (r *Report) subjects(b *strings.Builder) {
	b.WriteString("\n## What was run\n\n")
	for _, p := range r.Programs {
		fmt.Fprintf(b, "**%s**, bare: `%s`\n\n```\n%s\n```\n\n", p.Name, p.Baseline, strings.TrimSpace(p.Source))
	}
	for _, row := range r.Rows {
		fmt.Fprintf(b, "- **%s**: %s\n", cell(row.Subject), cell(row.Detail))
	}
}

func (r *Report) names() (names []string) {
	for _, p := range r.Programs {
		names = append(names, p.Name)
	}
	return names
}

func header(b *strings.Builder, cells []string) {
	line(b, cells)
	line(b, slices.Repeat([]string{"---"}, len(cells)))
}

func line(b *strings.Builder, cells []string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// cell keeps a text on its line and in its cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}

// times writes a ratio with three digits at most.
func times(ratio float64) string {
	switch {
	case ratio >= 100:
		return fmt.Sprintf("%.0f×", ratio)
	case ratio >= 10:
		return fmt.Sprintf("%.1f×", ratio)
	}
	return fmt.Sprintf("%.2f×", ratio)
}
