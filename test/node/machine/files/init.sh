#!/bin/bash
# Process 1 of the node, in pid, mount and network namespaces of its own: all that
# runs on the node ends with it. The variables come from start.go.
set -eu
cd "$STATE"

# What the parts write outside of the state directory stays in these namespaces.
mount --make-rprivate /
mount -t proc proc /proc
mkdir -p cgroup
mount --rbind /sys/fs/cgroup cgroup
mount -t sysfs sysfs /sys
mount --rbind cgroup /sys/fs/cgroup
for directory in /run /var/lib /var/log /tmp; do
	mount -t tmpfs tmpfs "$directory"
done
# Volumes that kubelet mounts are to be seen in containers.
mount --make-rshared /
if [ -e /etc/resolv.conf ]; then mount --bind etc/resolv.conf /etc/resolv.conf; fi

until ip link show node0 >/dev/null 2>&1; do sleep 0.02; done
ip link set lo up
ip address add "$NODE_IP/24" dev node0
ip link set node0 up
# There is no default route: nothing gets out. Addresses of Services need some
# route, else nftables is never asked.
ip route add "$SERVICE_CIDR" dev lo src "$NODE_IP"
echo 1 >/proc/sys/net/ipv4/ip_forward

start() {
	local name=$1
	shift
	setsid "$@" >"log/$name.log" 2>&1 </dev/null &
}

start registry "$CLUSTER" registry etc/registry.json
start etcd "$ETCD" --data-dir=etcd \
	--listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
	--listen-peer-urls=http://127.0.0.1:2380 --unsafe-no-fsync=true
start apiserver "$APISERVER" --etcd-servers=http://127.0.0.1:2379 \
	--bind-address=0.0.0.0 --advertise-address="$NODE_IP" --secure-port=6443 \
	--tls-cert-file=pki/apiserver.crt --tls-private-key-file=pki/apiserver.key \
	--kubelet-client-certificate=pki/client.crt --kubelet-client-key=pki/client.key \
	--kubelet-preferred-address-types=InternalIP \
	--authorization-mode=Node,RBAC --token-auth-file=pki/tokens.csv --allow-privileged=true \
	--service-cluster-ip-range="$SERVICE_CIDR" \
	--service-account-issuer=https://kubernetes.default.svc \
	--service-account-key-file=pki/accounts.key --service-account-signing-key-file=pki/accounts.key \
	--audit-policy-file=etc/audit.yaml --audit-log-path=log/audit.log
LD_LIBRARY_PATH="$LIBRARIES" PATH="$DEBIAN/usr/bin:$DEBIAN/usr/sbin:$PATH" \
	start containerd "$DEBIAN/usr/bin/containerd" --config=etc/containerd.toml

until "$KUBECTL" --kubeconfig="$STATE/kubeconfig" get --raw=/readyz >/dev/null 2>&1; do sleep 0.05; done
start controller-manager "$CONTROLLER_MANAGER" --kubeconfig="$STATE/kubeconfig" --leader-elect=false \
	--bind-address=127.0.0.1 --cert-dir=/run/controller-manager \
	--service-account-private-key-file=pki/accounts.key --root-ca-file=pki/ca.crt
start scheduler "$SCHEDULER" --kubeconfig="$STATE/kubeconfig" --leader-elect=false \
	--bind-address=127.0.0.1 --cert-dir=/run/scheduler --authentication-tolerate-lookup-failure
LD_LIBRARY_PATH="$LIBRARIES" PATH="$DEBIAN/usr/sbin:$PATH" \
	start proxy "$PROXY" --config=etc/kube-proxy.yaml
start kubelet "$KUBELET" --kubeconfig="$STATE/kubeconfig" --config=etc/kubelet.yaml \
	--root-dir=/run/kubelet --cert-dir=/run/kubelet-pki --hostname-override=node --node-ip="$NODE_IP"
start coredns "$COREDNS" -conf etc/Corefile
start ingress "$INGRESS" -kubeconfig "$STATE/kubeconfig" -ip "$NODE_IP" -dns "$NODE_IP:53"

# Waiting, it also reaps what loses its parent.
while :; do
	sleep 1000 &
	wait $!
done
