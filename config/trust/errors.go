package trust

// ConfigError is a source that cannot be used until somebody changes something:
// what it holds is malformed, it is not there, or it may not be read.
type ConfigError struct {
	// Source is what could not be used, as its owner knows it: a file, a key of
	// a ConfigMap, an environment variable.
	Source string
	Err    error
}

// Error names the source and says what to change.
func (e *ConfigError) Error() string { return e.Source + ": " + e.Err.Error() }

// Unwrap returns the cause, a [*BundleError] if the text is malformed.
func (e *ConfigError) Unwrap() error { return e.Err }

// Temporary reports that to try again does not help.
func (*ConfigError) Temporary() bool { return false }

// TransientError is a source that could not be read now. Nothing is known of
// what it holds.
type TransientError struct {
	// Source is as in [ConfigError].
	Source string
	Err    error
}

// Error names the source.
func (e *TransientError) Error() string { return e.Source + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *TransientError) Unwrap() error { return e.Err }

// Temporary reports that to try again may help.
func (*TransientError) Temporary() bool { return true }
