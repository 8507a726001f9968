package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// figure is one measured value beside its baseline of the same run.
type figure struct {
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
	Baseline string  `json:"baseline"`
	Base     float64 `json:"baseline_value"`
	Ratio    float64 `json:"ratio"` // value ÷ baseline
	Rounds   int     `json:"rounds"`
	// What follows is said by bench run alone.
	P95     float64 `json:"p95,omitempty"`
	Measure string  `json:"measure,omitempty"` // latency, throughput, cpu, pss, idle
	Subject string  `json:"subject,omitempty"`
	Program string  `json:"program,omitempty"`
	Clients int     `json:"clients,omitempty"`
}

func newBenchCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine, as ratios to a baseline in the same run",
		Long: `Bench prints figures as ratios to a baseline that is measured in the same run,
interleaved with it, since machines are shared and noisy. Figures are medians.`,
		Example: `  palisade bench parse
  palisade bench scan
  palisade bench run --rounds 30 --format json`,
	}
	cmd.AddCommand(newBenchParseCmd(e), newBenchScanCmd(e), newBenchRunCmd(e), newBenchServeCmd(e))
	return cmd
}

// benchFlags are shared by the bench commands.
type benchFlags struct {
	rounds int
	format string
	python string
}

func (f *benchFlags) register(cmd *cobra.Command, rounds int) {
	cmd.Flags().IntVar(&f.rounds, "rounds", rounds, "how often to measure")
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json (one figure a line)")
	cmd.Flags().StringVar(&f.python, "python", "/usr/bin/python3", "interpreter to compare with")
}

func (f *benchFlags) check() error {
	if f.rounds < 1 || f.rounds > 10000 {
		return usage("--rounds %d: want 1 to 10000", f.rounds)
	}
	if f.format != "text" && f.format != "json" {
		return usage("--format %s: text or json", f.format)
	}
	return nil
}

// report prints figures.
func (e *env) report(f benchFlags, figures []figure) error {
	if f.format == "json" {
		for _, fig := range figures {
			if err := writeJSON(e.stdout, fig); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tvalue\tbaseline\tratio\trounds")
	for _, fig := range figures {
		fmt.Fprintf(w, "%s\t%.2f %s\t%s %.2f %s\t%.2f×\t%d\n", fig.Name, fig.Value, fig.Unit, fig.Baseline, fig.Base, fig.Unit, fig.Ratio, fig.Rounds)
	}
	return w.Flush()
}

// median returns the middle value.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}
