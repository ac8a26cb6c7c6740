package config_test

import (
	"strings"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

const unset = 123 * time.Millisecond

func loaded(t *testing.T, delivery string) config.Delivery {
	t.Helper()
	settings, err := config.Load(file(t, header+delivery))
	if err != nil {
		t.Fatal(err)
	}
	return settings.Delivery
}

func TestDeliveryIsAsTheFileSays(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		sweeps bool
		pause  time.Duration
		orders string
	}{
		"nothing":                  {"", true, unset, "ask"},
		"left open":                {"delivery:\n", true, unset, "ask"},
		"keys left open":           {"delivery: {sweepOnStart: , maxGatherPause: , ordersVersions: }\n", true, unset, "ask"},
		"every key":                {"delivery: {sweepOnStart: false, maxGatherPause: 1.5s, ordersVersions: true}\n", false, 1500 * time.Millisecond, "yes"},
		"every key, the other way": {"delivery: {sweepOnStart: true, maxGatherPause: 5s, ordersVersions: false}\n", true, 5 * time.Second, "no"},
		"no pause":                 {"delivery: {maxGatherPause: 0s}\n", true, 0, "ask"},
	} {
		t.Run(name, func(t *testing.T) {
			got := loaded(t, tc.text)
			orders := "ask"
			if known := got.OrdersVersions; known != nil {
				orders = map[bool]string{true: "yes", false: "no"}[*known]
			}
			if got.SweepsOnStart() != tc.sweeps || got.GatherPause(unset) != tc.pause || orders != tc.orders {
				t.Errorf("sweeps %v, pause %s, orders %s; want %v, %s, %s",
					got.SweepsOnStart(), got.GatherPause(unset), orders, tc.sweeps, tc.pause, tc.orders)
			}
		})
	}
}

func TestWithoutAFileTheProcessSweepsAndAsks(t *testing.T) {
	var none config.HandlerConfig
	if d := none.Delivery; !d.SweepsOnStart() || d.GatherPause(unset) != unset || d.OrdersVersions != nil {
		t.Errorf("delivery is %+v", d)
	}
}

func TestDeliveryThatCannotBeObeyedIsAnErrorThatNamesTheKey(t *testing.T) {
	for text, says := range map[string]string{
		"maxGatherPause: 6s":    `delivery.maxGatherPause: Invalid value: "6s": want a duration from 0s to 5s such as 250ms`,
		"maxGatherPause: -1ms":  "delivery.maxGatherPause: Invalid value",
		"maxGatherPause: 250":   "delivery.maxGatherPause",
		`maxGatherPause: "250"`: "delivery.maxGatherPause: Invalid value",
		`maxGatherPause: ""`:    "delivery.maxGatherPause: Invalid value",
		"maxGatherPause: soon":  "delivery.maxGatherPause: Invalid value",
		"maxGatherPauze: 1s":    "delivery.maxGatherPauze: unknown key",
		"sweepOnStart: never":   "delivery.sweepOnStart",
		`sweepOnStart: "false"`: "delivery.sweepOnStart",
		"ordersVersions: 1":     "delivery.ordersVersions",
		"sweeponstart: false":   "delivery.sweeponstart: unknown key",
	} {
		path := file(t, header+"delivery:\n  "+text+"\n")
		_, err := config.Load(path)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: Load = %v, want an error that names the file and says %s", text, err, says)
		}
	}
}
