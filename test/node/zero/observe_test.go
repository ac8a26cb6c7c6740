package zero

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// serviceLabel is on the pods and Deployments of a Knative Service.
const serviceLabel = "serving.knative.dev/service"

// observer follows the pods and Deployments of a Knative Service, and notes when
// what was first seen since the last reset.
type observer struct {
	namespace, service, container string

	mu          sync.Mutex
	marks       map[string]time.Time
	pod         string // the first that was made since
	deployments map[string]*appsv1.Deployment
	pods        map[string]*corev1.Pod
	restarts    map[string]int // of the containers of each pod since, also of one that is gone
}

// What is noted.
const (
	markScaled    = "Deployment scaled"
	markCreated   = "pod created"
	markScheduled = "pod scheduled"
)

func observe(t *testing.T, namespace, service, container string) *observer {
	t.Helper()
	o := &observer{
		namespace: namespace, service: service, container: container,
		marks: map[string]time.Time{}, restarts: map[string]int{}, deployments: map[string]*appsv1.Deployment{}, pods: map[string]*corev1.Pod{},
	}
	follow(t, listWatch(node.core.AppsV1().RESTClient(), "deployments", namespace), &appsv1.Deployment{}, o.seeDeployment)
	follow(t, listWatch(node.core.CoreV1().RESTClient(), "pods", namespace), &corev1.Pod{}, o.seePod)
	return o
}

func listWatch(client cache.Getter, resource, namespace string) cache.ListerWatcher {
	return cache.NewListWatchFromClient(client, resource, namespace, fields.Everything())
}

// follow calls see for all that a list has, and for all that changes, until the
// test ends. What is deleted comes last with gone.
func follow(t *testing.T, from cache.ListerWatcher, kind runtime.Object, see func(object any, gone bool)) {
	t.Helper()
	_, controller := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: from, ObjectType: kind,
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { see(object, false) },
			UpdateFunc: func(_, object any) { see(object, false) },
			DeleteFunc: func(object any) { see(object, true) },
		},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		controller.RunWithContext(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	if !cache.WaitForCacheSync(t.Context().Done(), controller.HasSynced) {
		t.Fatal("the test ended before its watch began")
	}
}

func (o *observer) seeDeployment(object any, gone bool) {
	deployment, ok := object.(*appsv1.Deployment)
	if !ok || deployment.Labels[serviceLabel] != o.service {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if gone {
		delete(o.deployments, deployment.Name)
		return
	}
	o.deployments[deployment.Name] = deployment
	if *deployment.Spec.Replicas > 0 {
		o.mark(markScaled)
	}
}

func (o *observer) seePod(object any, gone bool) {
	pod, ok := object.(*corev1.Pod)
	if !ok || pod.Labels[serviceLabel] != o.service {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if gone {
		delete(o.pods, pod.Name)
		return
	}
	o.pods[pod.Name] = pod
	o.restarts[pod.Name] = 0
	for _, status := range pod.Status.ContainerStatuses {
		o.restarts[pod.Name] += int(status.RestartCount)
	}
	if pod.DeletionTimestamp != nil {
		return
	}
	if o.mark(markCreated) {
		o.pod = pod.Name
	}
	if pod.Spec.NodeName != "" {
		o.mark(markScheduled)
	}
}

// mark notes the first time of something and tells whether this is it.
func (o *observer) mark(what string) bool {
	if _, there := o.marks[what]; there {
		return false
	}
	o.marks[what] = time.Now()
	return true
}

// reset forgets the marks.
func (o *observer) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.marks, o.restarts, o.pod = map[string]time.Time{}, map[string]int{}, ""
}

// seen returns the marks, and the pod that came first.
func (o *observer) seen() (marks map[string]time.Time, pod string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.marks), o.pod
}

// restarted returns how often containers have been started again since the reset.
func (o *observer) restarted() (times int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, once := range o.restarts {
		times += once
	}
	return times
}

// running returns the pods that are not about to end.
func (o *observer) running() []*corev1.Pod {
	o.mu.Lock()
	defer o.mu.Unlock()
	var found []*corev1.Pod
	for _, name := range slices.Sorted(maps.Keys(o.pods)) {
		if pod := o.pods[name]; pod.DeletionTimestamp == nil {
			found = append(found, pod)
		}
	}
	return found
}

// ready is how many pods of a Revision are.
func (o *observer) ready(revision string) (count int) {
	for _, pod := range o.running() {
		if pod.Labels["serving.knative.dev/revision"] == revision && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		}) {
			count++
		}
	}
	return count
}

// asleep tells whether no pod runs and none is wanted.
func (o *observer) asleep() bool {
	o.mu.Lock()
	for _, deployment := range o.deployments {
		if *deployment.Spec.Replicas > 0 {
			o.mu.Unlock()
			return false
		}
	}
	o.mu.Unlock()
	return len(o.running()) == 0
}

// firstLine returns when the container of a pod wrote first, as containerd notes
// it.
func firstLine(t *testing.T, namespace, pod, container string) time.Time {
	t.Helper()
	text, err := node.core.CoreV1().Pods(namespace).GetLogs(pod, &corev1.PodLogOptions{Container: container, Timestamps: true}).DoRaw(t.Context())
	if err != nil {
		t.Fatalf("read the log of pod %s: %v", pod, err)
	}
	stamp, _, _ := strings.Cut(string(text), " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		t.Fatalf("read the log of pod %s: %v", pod, err)
	}
	return at
}
