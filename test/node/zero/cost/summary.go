package cost

import (
	"encoding/json"
	"fmt"
	"time"
)

// Container is what the kubelet says of a running container.
type Container struct {
	Namespace, Pod, Name string
	// Started is when it was made to be started, in whole seconds.
	Started time.Time
	// At is when CPU was read, in whole seconds: the kubelet does not read it anew
	// each time that it is asked.
	At time.Time
	// CPU is the processor time since Started.
	CPU time.Duration
	// Memory is the working set in bytes.
	Memory float64
}

// Containers reads the kubelet's answer at /stats/summary. What has no figures, as
// a container that has just been started, is left out.
func Containers(summary []byte) ([]Container, error) {
	var s struct {
		Pods *[]struct {
			PodRef     struct{ Name, Namespace string }
			Containers []containerStats
		}
	}
	if err := json.Unmarshal(summary, &s); err != nil {
		return nil, fmt.Errorf("read the kubelet's statistics: %w", err)
	}
	if s.Pods == nil {
		return nil, fmt.Errorf("read the kubelet's statistics: there are no pods in %.100q", summary)
	}
	var found []Container
	for _, pod := range *s.Pods {
		for _, c := range pod.Containers {
			if c.CPU.UsageCoreNanoSeconds == nil || c.Memory.WorkingSetBytes == nil {
				continue
			}
			found = append(found, Container{
				Namespace: pod.PodRef.Namespace, Pod: pod.PodRef.Name, Name: c.Name,
				Started: c.StartTime, At: c.CPU.Time,
				CPU: time.Duration(*c.CPU.UsageCoreNanoSeconds), Memory: float64(*c.Memory.WorkingSetBytes),
			})
		}
	}
	return found, nil
}

// containerStats is what is of use here of ContainerStats in
// k8s.io/kubelet/pkg/apis/stats/v1alpha1.
type containerStats struct {
	Name      string
	StartTime time.Time
	CPU       struct {
		Time                 time.Time
		UsageCoreNanoSeconds *uint64
	}
	Memory struct{ WorkingSetBytes *uint64 }
}
