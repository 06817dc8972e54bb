# Starts containerd and the agent of Kubernetes in a server. Arguments: its name, where the API is, a token for it, where pods
# have their addresses.
set -eu
name=$1 api=$2 token=$3 pods=$4
here=/opt/kubernetes
mkdir -p /etc/cni/net.d /etc/containerd /etc/kubernetes

# Containers of the lab have no folders for these controllers, which the agent looks for. Others have all of them.
for controller in cpu cpuacct; do
  [ -L "/sys/fs/cgroup/$controller" ] || continue
  mount -o remount,rw /sys/fs/cgroup
  rm "/sys/fs/cgroup/$controller"
  mkdir "/sys/fs/cgroup/$controller"
  mount -t cgroup -o "$controller" cgroup "/sys/fs/cgroup/$controller"
done

cat >/etc/cni/net.d/pods.conflist <<END
{ "cniVersion": "0.4.0", "name": "pods", "plugins": [{ "type": "bridge", "bridge": "pods", "isGateway": true, "ipam":
  { "type": "host-local", "ranges": [[{ "subnet": "$pods" }]], "routes": [{ "dst": "0.0.0.0/0" }] } }] }
END
cat >/etc/containerd/config.toml <<END
version = 3
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = 'pods.example/busybox:1'
[plugins.'io.containerd.cri.v1.runtime']
disable_apparmor = true
restrict_oom_score_adj = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ['$here']
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'
END
cat >/etc/kubernetes/config <<END
{ "apiVersion": "v1", "kind": "Config", "current-context": "lab",
  "clusters": [{ "name": "lab", "cluster": { "server": "$api", "insecure-skip-tls-verify": true } }],
  "users": [{ "name": "agent", "user": { "token": "$token" } }],
  "contexts": [{ "name": "lab", "context": { "cluster": "lab", "user": "agent" } }] }
END
cat >/etc/kubernetes/agent <<END
{ "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
  "authentication": { "webhook": { "enabled": false } }, "authorization": { "mode": "AlwaysAllow" },
  "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock", "featureGates": { "KubeletInUserNamespace": true },
  "cgroupDriver": "cgroupfs", "cgroupsPerQOS": false, "enforceNodeAllocatable": [], "failCgroupV1": false,
  "localStorageCapacityIsolation": false }
END

start() {
  systemd-run --quiet --unit="$1" --property=Delegate=yes --setenv=PATH="$here:$PATH" "$here/$@"
}
sysctl --quiet --write net.ipv4.ip_forward=1
start containerd
until "$here/ctr" version >/dev/null 2>&1; do sleep 0.1; done
"$here/ctr" --namespace k8s.io images import "$here/image.tar" >/dev/null 2>&1
start kubelet --config=/etc/kubernetes/agent --kubeconfig=/etc/kubernetes/config --hostname-override="$name" \
  --cloud-provider=external
