package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/explain"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

const explainLong = `Say why a hostname is served, or why it is not.

Follows the chain from the Certificate's label to the status of its listener,
link by link, marks the first one that is broken and says what mends it. A
Certificate is that of the namespace, and each of its DNS names has a chain. A
hostname is looked for in all namespaces that you may read, in Certificates with
and without the label, wildcards included, and on Gateways.

Nothing is read but what you may read. A link that a right is missing for is
unknown, and the right is named. Secrets are never read.

Exit codes: 0 it is served; 2 a link is broken; 1 something failed, or a right was
missing to tell.`

const explainExample = `  # Why has Certificate shop no listener?
  kubectl gateway-cert explain certificate/shop -n team-a

  # Who serves shop.example.com, and who would like to?
  kubectl gateway-cert explain shop.example.com

  # All links, also of chains that hold
  kubectl gateway-cert explain shop.example.com -o wide`

// explaining is what the command explain is told.
type explaining struct {
	scope
	output
	streams genericiooptions.IOStreams
}

func newExplain(access *genericclioptions.ConfigFlags, streams genericiooptions.IOStreams) *cobra.Command {
	e := &explaining{scope: scope{access: access}, streams: streams}
	command := &cobra.Command{
		Use:                   "explain (certificate/NAME [-n NAMESPACE] | HOSTNAME)",
		Short:                 "Say why a hostname is served, or why it is not",
		Long:                  explainLong,
		Example:               explainExample,
		Args:                  cobra.ExactArgs(1),
		ValidArgsFunction:     completeCertificates(access),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := e.format()
			if err != nil {
				return err
			}
			return e.run(cmd.Context(), args[0], format)
		},
	}
	e.scope.addSettingsFlag(command)
	e.output.addFlag(command, screen.Table, screen.Wide, screen.JSON, screen.YAML)
	return command
}

func (e *explaining) run(ctx context.Context, question string, format screen.Format) error {
	r, err := e.answer(ctx, question)
	if err != nil {
		return err
	}
	warnOf(e.streams.ErrOut, r.MissingRights)
	if err := screen.Show(e.streams.Out, r, format); err != nil {
		return err
	}
	switch r.Answer {
	case explain.Served:
		return nil
	case explain.NotServed:
		return errPending
	default:
		return errCannotTell
	}
}

func (e *explaining) answer(ctx context.Context, question string) (explain.Report, error) {
	defaults, err := e.defaults()
	if err != nil {
		return explain.Report{}, err
	}
	namespace, err := e.namespace()
	if err != nil {
		return explain.Report{}, err
	}
	kind, name, isObject := strings.Cut(question, "/")
	hostname, hostnameErr := plan.NormalizeHostname(question)
	switch {
	case isObject && (!isCertificate(kind) || name == "" || strings.Contains(name, "/")):
		return explain.Report{}, fmt.Errorf("%q is neither certificate/NAME nor a hostname", question)
	case !isObject && hostnameErr != nil:
		return explain.Report{}, fmt.Errorf("%q cannot be a listener's hostname: %w (a Certificate is written certificate/NAME)", question, hostnameErr)
	}
	server, err := connect(e.access)
	if err != nil {
		return explain.Report{}, err
	}
	l := server.look(defaults)
	if isObject {
		return l.explainCertificate(ctx, types.NamespacedName{Namespace: namespace, Name: name})
	}
	if err := l.everywhere(ctx, hostname, namespace); err != nil {
		return explain.Report{}, err
	}
	return explain.Hostname(l.View, hostname), nil
}

// isCertificate knows the kind by the names that kubectl knows it by.
func isCertificate(kind string) bool {
	switch strings.ToLower(kind) {
	case "certificate", "certificates", "cert", "certs", certificateResource, "certificate.cert-manager.io":
		return true
	}
	return false
}

func (l *look) explainCertificate(ctx context.Context, name types.NamespacedName) (explain.Report, error) {
	certificate, err := l.certificates.Certificates(name.Namespace).Get(ctx, name.Name, metav1.GetOptions{})
	if err != nil {
		return explain.Report{}, fmt.Errorf("get Certificate %s: %w", name, err)
	}
	target, targeted := plan.Target(certificate)
	if !targeted {
		return explain.Certificate(l.View, certificate), nil
	}
	if err := errors.Join(l.around(ctx, target, name.Namespace), l.readTold(ctx, target)); err != nil {
		return explain.Report{}, err
	}
	if read, there := l.Certificate(name); there {
		return explain.Certificate(l.View, read), nil
	}
	// Its namespace may not be listed, or its labels have changed meanwhile.
	l.Certificates = append(l.Certificates, *certificate)
	err = l.readNamespace(ctx, name.Namespace)
	return explain.Certificate(l.View, certificate), err
}
