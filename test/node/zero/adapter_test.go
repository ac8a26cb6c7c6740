package zero

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// adapterLabel is on what Knative has made for the source of Certificates.
const adapterLabel, adapterName = "eventing.knative.dev/sourceName", "certificates"

// line is one of the adapter's log.
type line struct {
	At      time.Time `json:"ts"`
	Message string    `json:"msg"`
}

// adapterLog is what the adapters for Certificates say, those included that are gone
// by the time it is read.
type adapterLog struct {
	from metav1.Time
	pods map[types.UID]bool // seen so far; only the watch touches it

	reading sync.WaitGroup
	mu      sync.Mutex
	lines   []line
}

// followAdapters reads the adapters' log from now until the test ends.
func followAdapters(t *testing.T) *adapterLog {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	l := &adapterLog{from: metav1.Now(), pods: map[types.UID]bool{}}
	t.Cleanup(func() { cancel(); l.reading.Wait() })
	follow(t, listWatch(node.core.CoreV1().RESTClient(), "pods", productNamespace), &corev1.Pod{}, func(object any, _ bool) {
		l.seePod(ctx, object)
	})
	return l
}

func (l *adapterLog) seePod(ctx context.Context, object any) {
	pod, ok := object.(*corev1.Pod)
	if !ok || pod.Labels[adapterLabel] != adapterName || l.pods[pod.UID] {
		return
	}
	l.pods[pod.UID] = true
	l.reading.Go(func() { l.read(ctx, pod.Name) })
}

// read takes a pod's lines until it is gone. A stream may end before: then all is
// read once more, and what is known is left out.
func (l *adapterLog) read(ctx context.Context, pod string) {
	options := &corev1.PodLogOptions{Follow: true, SinceTime: &l.from}
	known := map[string]bool{}
	for ctx.Err() == nil {
		stream, err := node.core.CoreV1().Pods(productNamespace).GetLogs(pod, options).Stream(ctx)
		if apierrors.IsNotFound(err) {
			return
		}
		if err == nil {
			l.take(stream, known)
			_ = stream.Close() // it was only read
		}
		time.Sleep(100 * time.Millisecond) // it may not have been started yet
	}
}

func (l *adapterLog) take(stream io.Reader, known map[string]bool) {
	scanner := bufio.NewScanner(stream)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var one line
		if known[scanner.Text()] || json.Unmarshal(scanner.Bytes(), &one) != nil {
			continue
		}
		known[scanner.Text()] = true
		l.mu.Lock()
		l.lines = append(l.lines, one)
		l.mu.Unlock()
	}
}

// since returns what has been said from a moment on.
func (l *adapterLog) since(begin time.Time) []line {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.lines), func(one line) bool { return one.At.Before(begin) })
}

// sentAt returns when an adapter began to send the first event about a Certificate.
func (l *adapterLog) sentAt(t *testing.T, namespace, certificate string) (at time.Time) {
	t.Helper()
	eventually(t, "an adapter says that it sends an event of "+certificate, func(context.Context) error {
		lines := l.since(time.Time{})
		i := slices.IndexFunc(lines, func(one line) bool {
			return strings.HasPrefix(one.Message, "sending cloudevent") && strings.HasSuffix(one.Message, "/"+namespace+"/certificates/"+certificate)
		})
		if i < 0 {
			return errors.New("none does")
		}
		at = lines[i].At
		return nil
	})
	return at
}

// lost counts the events that an adapter has begun to send, and those of them that
// nobody has answered well: it has given them up, or has ended meanwhile.
func lost(lines []line) (sent, failed int) {
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l.Message, "sending cloudevent"):
			sent++
			failed++
		case strings.HasPrefix(l.Message, "cloudevent sent"):
			failed--
		}
	}
	return sent, failed
}

// adapterKnows waits until the adapter for Certificates runs that Knative starts anew
// for a namespace, and no other: see docs/upstream.md.
func adapterKnows(t *testing.T, namespace string) {
	t.Helper()
	eventually(t, "only the adapter that has been told of namespace "+namespace+" runs", func(ctx context.Context) error {
		of := metav1.ListOptions{LabelSelector: adapterLabel + "=" + adapterName}
		deployments, err := node.core.AppsV1().Deployments(productNamespace).List(ctx, of)
		if err != nil {
			return err
		}
		if len(deployments.Items) != 1 {
			return fmt.Errorf("there are %d Deployments", len(deployments.Items))
		}
		if !tellsOf(&deployments.Items[0], namespace) {
			return errors.New("it has not been told yet")
		}
		pods, err := node.core.CoreV1().Pods(productNamespace).List(ctx, of)
		if err != nil {
			return err
		}
		status, wanted := deployments.Items[0].Status, deployments.Items[0].Generation
		if status.ObservedGeneration != wanted || status.UpdatedReplicas != 1 || status.AvailableReplicas != 1 || len(pods.Items) != 1 {
			return fmt.Errorf("of %d pods %d are new, and %d available", len(pods.Items), status.UpdatedReplicas, status.AvailableReplicas)
		}
		return nil
	})
	time.Sleep(settling) // it is Ready before it watches
}

func tellsOf(deployment *appsv1.Deployment, namespace string) bool {
	return slices.ContainsFunc(deployment.Spec.Template.Spec.Containers[0].Env, func(v corev1.EnvVar) bool {
		return v.Name == "K_SOURCE_CONFIG" && strings.Contains(v.Value, `"`+namespace+`"`)
	})
}
