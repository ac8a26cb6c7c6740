// Command size shows, for each program that it is given, how large it is and how
// long it takes to start and end: the least of many times, because that is what
// the program takes and not its neighbours.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// rounds are gone through with all programs in turn, so that a busy moment meets
// each.
const rounds = 200

func main() {
	most := flag.Float64("most", 0, "fail if the first program has more `MB`; 0 is no bound")
	flag.Parse()
	if err := errors.Join(show(flag.Args()), bounded(flag.Arg(0), *most)); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func show(programs []string) error {
	times := make([][]time.Duration, len(programs))
	for range rounds {
		for i, program := range programs {
			cmd := exec.Command(program, "-version")
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("run %s: %w", program, err)
			}
			state := cmd.ProcessState
			times[i] = append(times[i], state.UserTime()+state.SystemTime())
		}
	}
	for i, program := range programs {
		file, err := os.Stat(program)
		if err != nil {
			return fmt.Errorf("measure %s: %w", program, err)
		}
		slices.Sort(times[i])
		fmt.Printf("%-8s %6.2f MB, start takes %5.1f ms of CPU at least, %5.1f ms in the median\n",
			file.Name(), float64(file.Size())/1e6, ms(times[i][0]), ms(times[i][rounds/2]))
	}
	return nil
}

// bounded is an error if the program has more MB than most, unless that is 0.
func bounded(program string, most float64) error {
	if most == 0 {
		return nil
	}
	file, err := os.Stat(program)
	if err != nil {
		return fmt.Errorf("measure %s: %w", program, err)
	}
	if size := float64(file.Size()) / 1e6; size > most {
		return fmt.Errorf("%s has %.2f MB, more than %g", file.Name(), size, most)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
