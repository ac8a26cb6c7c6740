package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// tokenLifetime outlasts any session with the control plane. A server may
// grant less.
const tokenLifetime = 7 * 24 * time.Hour

// WriteKubeconfig writes a kubeconfig of the admin to path, readable by its
// owner only. A file that is there is replaced.
func (c *ControlPlane) WriteKubeconfig(path string) error {
	config := c.Config()
	if err := rest.LoadTLSFiles(config); err != nil {
		return fmt.Errorf("write the admin's kubeconfig: %w", err)
	}
	return c.writeKubeconfig(path, "default", &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData,
		ClientKeyData:         config.KeyData,
		Token:                 config.BearerToken,
		TokenFile:             config.BearerTokenFile,
		Username:              config.Username,
		Password:              config.Password,
		Exec:                  config.ExecProvider,
	})
}

// ServiceAccountKubeconfig writes to path, readable by its owner only, a
// kubeconfig with a token of the ServiceAccount and nothing else, so that a
// process runs with the rights it has in a cluster. The token is good for
// seven days, or for as long as an existing cluster grants. The ServiceAccount
// must exist.
func (c *ControlPlane) ServiceAccountKubeconfig(ctx context.Context, namespace, name, path string) error {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return fmt.Errorf("write a kubeconfig of ServiceAccount %s/%s: %w", namespace, name, err)
	}
	lifetime := int64(tokenLifetime / time.Second)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &lifetime}}
	granted, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("ask for a token of ServiceAccount %s/%s (apply its manifest first): %w", namespace, name, err)
	}
	return c.writeKubeconfig(path, namespace, &clientcmdapi.AuthInfo{Token: granted.Status.Token})
}

func (c *ControlPlane) writeKubeconfig(path, namespace string, user *clientcmdapi.AuthInfo) error {
	config := c.Config()
	if err := rest.LoadTLSFiles(config); err != nil {
		return fmt.Errorf("write kubeconfig %s: %w", path, err)
	}
	const name = "control-plane"
	file := clientcmdapi.NewConfig()
	file.Clusters[name] = &clientcmdapi.Cluster{
		Server:                   config.Host,
		TLSServerName:            config.ServerName,
		InsecureSkipTLSVerify:    config.Insecure,
		CertificateAuthorityData: config.CAData,
	}
	file.AuthInfos[name] = user
	file.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: namespace}
	file.CurrentContext = name
	data, err := clientcmd.Write(*file)
	if err != nil {
		return fmt.Errorf("write kubeconfig %s: %w", path, err)
	}
	if err := replaceFile(path, data); err != nil {
		return fmt.Errorf("write kubeconfig %s: %w", path, err)
	}
	return nil
}

// replaceFile writes a file of mode 0600 that is never seen half written, nor
// with the mode of an earlier file.
func replaceFile(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".kubeconfig-")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
