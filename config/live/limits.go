package live

import "time"

const (
	// settle is how long a file must have been left alone before it is read. Who
	// writes it in place, as an editor does, is done by then; a ConfigMap's volume
	// is swapped at once.
	settle = 100 * time.Millisecond

	// settleAtMost bounds that where something else in the directory never rests.
	settleAtMost = time.Second

	// recheck is the pause between two looks at the file that nobody has asked
	// for: the kernel may have no watch to give, may lose one with the directory,
	// and knows nothing of what a symbolic link points at elsewhere. A look is one
	// small read, and a ConfigMap's volume is no quicker.
	recheck = time.Minute
)
