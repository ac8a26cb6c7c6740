package truncate

import (
	"strings"
	"testing"
)

func TestATextIsCutBetweenCharactersAndToTheLimit(t *testing.T) {
	for _, tc := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 3, ""},
		{"short", 5, "short"},
		{"longer", 5, "lo…"},
		{"ééé", 6, "ééé"},
		{"éééé", 6, "é…"},
		{"éééé", 3, "…"},
		{strings.Repeat("€", 400), 1024, strings.Repeat("€", 340) + "…"},
	} {
		if got := Text(tc.text, tc.limit); got != tc.want || len(got) > tc.limit {
			t.Errorf("Text(%q, %d) = %q of %d bytes, want %q", tc.text, tc.limit, got, len(got), tc.want)
		}
	}
}
