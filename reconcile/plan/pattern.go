package plan

import (
	"slices"
	"strings"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// hostnamePatterns are hostnames and "*." patterns; nil stands for all.
type hostnamePatterns []gatewayv1.Hostname

// cover reports whether all that the hostname stands for is within the patterns.
func (patterns hostnamePatterns) cover(hostname gatewayv1.Hostname) bool {
	if patterns == nil {
		return true
	}
	for _, pattern := range patterns {
		if covers(pattern, hostname) {
			return true
		}
	}
	return false
}

func allCover(lists []hostnamePatterns, hostname gatewayv1.Hostname) bool {
	return !slices.ContainsFunc(lists, func(patterns hostnamePatterns) bool { return !patterns.cover(hostname) })
}

// covers follows the Gateway API's reading of Hostname: "*.example.com" stands
// for one or more labels before ".example.com", and not for "example.com".
func covers(pattern, hostname gatewayv1.Hostname) bool {
	if pattern == hostname {
		return true
	}
	suffix, isWildcard := strings.CutPrefix(string(pattern), "*")
	return isWildcard && strings.HasSuffix(string(hostname), suffix)
}
