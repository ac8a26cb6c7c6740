package config

// Option is for [Load].
type Option func(*options)

type options struct {
	compile func(expression string) (Condition, error)
}

// WithRules lets a settings file have rules, whose expressions compile makes
// ready. Without it a file that has some is refused.
func WithRules(compile func(expression string) (Condition, error)) Option {
	return func(o *options) { o.compile = compile }
}

func optionsOf(chosen []Option) (o options) {
	for _, choose := range chosen {
		choose(&o)
	}
	return o
}
