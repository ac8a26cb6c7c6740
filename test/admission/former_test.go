package admission

import "sigs.k8s.io/controller-runtime/pkg/client"

func former() []client.Object { return nil }
