package install

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ingressClass is the stand-in's.
const ingressClass = "stand-in.ingress.networking.knative.dev"

// settings are what is set in Knative's ConfigMaps, by their namespace and name.
// Serving goes to zero as soon as it can be told to, so that measuring does not
// take hours.
var settings = map[string]map[string]string{
	"knative-serving/config-network":    {"ingress-class": ingressClass},
	"knative-serving/config-autoscaler": {"stable-window": "6s", "scale-to-zero-grace-period": "6s"},
}

// fit leaves out what has no use on one node and sets what a node needs.
func fit(documents []document) ([]document, error) {
	documents = slices.DeleteFunc(documents, func(d document) bool {
		// Nothing measures pods for an autoscaler of Kubernetes' own, and nothing
		// here asks by a RequestReply.
		return d.GetKind() == "HorizontalPodAutoscaler" || strings.Contains(d.GetName(), "request-reply")
	})
	for _, d := range documents {
		if d.GetKind() != "ConfigMap" {
			continue
		}
		for key, value := range settings[d.GetNamespace()+"/"+d.GetName()] {
			if err := unstructured.SetNestedField(d.Object, value, "data", key); err != nil {
				return nil, fmt.Errorf("set %s in ConfigMap %s: %w", key, d.GetName(), err)
			}
		}
		if d.GetNamespace() == "knative-eventing" && d.GetName() == "config-logging" {
			if err := tellAll(d); err != nil {
				return nil, fmt.Errorf("set the log level of Knative Eventing: %w", err)
			}
		}
	}
	return documents, nil
}

// tellAll has the adapters write a line for each event, which is the one trace of
// when it was sent.
func tellAll(d document) error {
	const key = "zap-logger-config"
	text, found, err := unstructured.NestedString(d.Object, "data", key)
	if err != nil || !found {
		return fmt.Errorf("there is no %s: %w", key, err)
	}
	var config map[string]any
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		return err
	}
	config["level"] = "debug"
	changed, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return unstructured.SetNestedField(d.Object, string(changed), "data", key)
}
