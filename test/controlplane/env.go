package controlplane

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// Env is the environment of a process.
type Env map[string]string

// ResolveEnv returns the environment that a container with these variables has in
// a pod of which fields has the values, by their paths. Of two variables with one
// name the later counts. A variable that is taken from elsewhere is an error.
func ResolveEnv(vars []corev1.EnvVar, fields map[string]string) (Env, error) {
	env := Env{}
	for _, v := range vars {
		value := v.Value
		if from := v.ValueFrom; from != nil {
			known := false
			if from.FieldRef != nil {
				value, known = fields[from.FieldRef.FieldPath]
			}
			if !known {
				return nil, fmt.Errorf("environment variable %s: where it is taken from cannot be resolved without a pod: give it a value", v.Name)
			}
		}
		env[v.Name] = value
	}
	return env, nil
}

// List returns the variables as NAME=value.
func (e Env) List() []string {
	list := make([]string, 0, len(e))
	for name, value := range e {
		list = append(list, name+"="+value)
	}
	return list
}
