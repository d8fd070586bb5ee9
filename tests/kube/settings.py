"""The settings of a cluster's programs: keys, identities, files and command lines.  Starts nothing.

Cluster N is the bridge flkN, 10.250.N.1/24 on the host.  Node I has 10.250.N.(I+1) and the pods 10.244.(10N+I).0/24; the
control plane lives on node 1.  Each node has its own network, so every program keeps its usual port.
"""
import json
import os

import programs

POD_NETWORK, SERVICE_NETWORK = "10.244.0.0/16", "10.96.0.0/16"
API_ADDRESS, DNS_ADDRESS, FAKE_PODS = "10.96.0.1", "10.96.0.10", "10.96.128.0/17"
NODES_MAX = 5
GRACE_S, LEASE_S = 16, 8  # a node is NotReady so long after its kubelet fell silent; 40 s and 40 s as delivered

CONTROL_PLANE = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"]
NODE = ["containerd", "kubelet", "kube-proxy"]
FAKE = ["kwok"]  # fake nodes, beside the control plane

TOKENS = {
    "admin": ("admin", "system:masters"),
    "controllers": ("system:kube-controller-manager", ""),
    "scheduler": ("system:kube-scheduler", ""),
    "proxy": ("system:kube-proxy", ""),
    **{f"node{i}": (f"system:node:node{i}", "system:nodes") for i in range(1, NODES_MAX + 1)},
}

AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
                "rules": [{"level": "Metadata"}]}

CONTAINERD = """version = 2
root = "{own}/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
    "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
    "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "fairlead.test/pause:1"
disable_apparmor = true
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{cni}"
conf_dir = "{own}/cni"
"""


def api_address(n):
    return f"10.250.{n}.2"


def node_address(n, i):
    return f"10.250.{n}.{i + 1}"


def pod_range(n, i):
    return f"10.244.{10 * n + i}.0/24"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text if isinstance(text, str) else json.dumps(text, indent=1) + "\n")


# ---- identities ------------------------------------------------------------------------------------------------


def sign(folder, name, subject, extensions):
    """NAME.key and NAME.crt, signed by the cluster's CA."""
    def openssl(*words):
        programs.run("openssl", *words, cwd=folder)

    write(f"{folder}/{name}.ext", extensions)
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
    openssl("req", "-new", "-key", f"{name}.key", "-subj", subject, "-out", f"{name}.csr")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30",
            "-extfile", f"{name}.ext", "-out", f"{name}.crt")


def make_folder(path):
    """Another cluster that goes down takes away the parent of all, if it is empty just then."""
    for _ in range(100):
        try:
            os.makedirs(path)
            return
        except FileNotFoundError:
            pass
    os.makedirs(path)


def write_keys(n, home):
    folder = f"{home}/pki"
    make_folder(folder)
    for name in ("ca", "accounts"):
        programs.run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{folder}/{name}.key")
    programs.run("openssl", "req", "-x509", "-new", "-key", f"{folder}/ca.key", "-days", "30", "-subj", "/CN=fairlead-test",
                 "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature", "-out", f"{folder}/ca.crt")
    programs.run("openssl", "ec", "-in", f"{folder}/accounts.key", "-pubout", "-out", f"{folder}/accounts.pub")
    names = ["DNS:localhost", *(f"DNS:kubernetes{end}" for end in ("", ".default", ".default.svc")),
             *(f"IP:{address}" for address in ("127.0.0.1", API_ADDRESS, api_address(n)))]
    sign(folder, "apiserver", "/CN=kube-apiserver", f"subjectAltName={','.join(names)}\nextendedKeyUsage=serverAuth\n")
    # The API server shows the first one to kubelets; the second is for kubeconfigs that hold a client certificate.
    sign(folder, "to-kubelet", "/O=system:masters/CN=apiserver-kubelet-client", "extendedKeyUsage=clientAuth\n")
    sign(folder, "admin", "/O=system:masters/CN=admin", "extendedKeyUsage=clientAuth\n")


def write_kubeconfig(n, home, name, user):
    write(f"{home}/{name}.kubeconfig", {
        "apiVersion": "v1", "kind": "Config", "current-context": "test",
        "clusters": [{"name": "test", "cluster": {"server": f"https://{api_address(n)}:6443",
                                                  "certificate-authority": f"{home}/pki/ca.crt"}}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": name}}],
    })


def write_cluster(n, home):
    """Writes the files that stay the same for as long as the cluster's data are kept."""
    write_keys(n, home)
    write(f"{home}/tokens.csv", "".join(f'{name}-token,{user},{name},"{group}"\n' for name, (user, group) in TOKENS.items()))
    for name in TOKENS:
        write_kubeconfig(n, home, name, {"token": f"{name}-token"})
    write_kubeconfig(n, home, "certificate", {"client-certificate": f"{home}/pki/admin.crt",
                                              "client-key": f"{home}/pki/admin.key"})
    write(f"{home}/audit.yaml", AUDIT_POLICY)
    os.makedirs(f"{home}/audit")
    os.makedirs(f"{home}/log")


# ---- a node's files --------------------------------------------------------------------------------------------


def kubelet(n, i, home):
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                           "x509": {"clientCAFile": f"{home}/pki/ca.crt"}},
        "authorization": {"mode": "Webhook"},
        "cgroupDriver": "cgroupfs", "cgroupRoot": f"/flk{n}-{i}", "failCgroupV1": False, "failSwapOn": False,
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "podLogsDir": "/var/log/pods", "volumePluginDir": "/var/lib/kubelet/plugins", "resolvConf": "",
        "clusterDNS": [DNS_ADDRESS], "clusterDomain": "cluster.local",
        "containerLogMaxSize": "10Mi", "containerLogMaxFiles": 3, "containerLogMonitorInterval": "3s",
        "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "nodefs.inodesFree": "1%", "imagefs.available": "1%"},
        "imageGCHighThresholdPercent": 100, "imageGCLowThresholdPercent": 99,
        "maxPods": 200, "nodeLeaseDurationSeconds": LEASE_S, "nodeStatusUpdateFrequency": "4s",
    }


def network(n, i, own):
    ranges = [[{"subnet": pod_range(n, i)}]]
    return {"cniVersion": "0.4.0", "name": "test", "plugins": [
        {"type": "bridge", "bridge": "cni0", "isGateway": True, "ipMasq": True, "hairpinMode": True,
         "ipam": {"type": "host-local", "dataDir": f"{own}/addresses", "ranges": ranges, "routes": [{"dst": "0.0.0.0/0"}]}},
        {"type": "portmap", "capabilities": {"portMappings": True}}]}


def write_node(n, i, home):
    own = f"{home}/node{i}"
    write(f"{own}/containerd.toml", CONTAINERD.format(own=own, cni=programs.CNI))
    write(f"{own}/cni/10-test.conflist", network(n, i, own))
    write(f"{own}/kubelet.yaml", kubelet(n, i, home))
    os.makedirs(f"{own}/lib", exist_ok=True)


# ---- command lines ---------------------------------------------------------------------------------------------


def command(name, n, i, home, bin_folder):
    """The words that start program 'name' on node I."""
    pki, config = f"{home}/pki", f"--kubeconfig={home}"
    quick = ["--kube-api-qps=500", "--kube-api-burst=1000", "--leader-elect=false", "--bind-address=127.0.0.1"]
    words = {
        "etcd": [f"--data-dir={home}/etcd", "--unsafe-no-fsync", "--log-level=warn",
                 "--listen-client-urls=http://127.0.0.1:2379", "--advertise-client-urls=http://127.0.0.1:2379",
                 "--listen-peer-urls=http://127.0.0.1:2380"],
        "kube-apiserver": [
            "--etcd-servers=http://127.0.0.1:2379", "--secure-port=6443", f"--advertise-address={api_address(n)}",
            f"--tls-cert-file={pki}/apiserver.crt", f"--tls-private-key-file={pki}/apiserver.key",
            f"--client-ca-file={pki}/ca.crt", f"--token-auth-file={home}/tokens.csv", "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true",
            "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={pki}/accounts.pub",
            f"--service-account-signing-key-file={pki}/accounts.key", f"--service-cluster-ip-range={SERVICE_NETWORK}",
            f"--kubelet-client-certificate={pki}/to-kubelet.crt", f"--kubelet-client-key={pki}/to-kubelet.key",
            "--kubelet-preferred-address-types=InternalIP", f"--cert-dir={home}/run",
            f"--audit-policy-file={home}/audit.yaml", f"--audit-log-path={home}/audit/log", "--audit-log-maxsize=1000"],
        "kube-controller-manager": [
            f"{config}/controllers.kubeconfig", *quick, f"--service-account-private-key-file={pki}/accounts.key",
            f"--root-ca-file={pki}/ca.crt", "--use-service-account-credentials=true", f"--cert-dir={home}/run",
            f"--cluster-signing-cert-file={pki}/ca.crt", f"--cluster-signing-key-file={pki}/ca.key",
            f"--node-monitor-grace-period={GRACE_S}s", "--node-monitor-period=1s"],
        "kube-scheduler": [f"{config}/scheduler.kubeconfig", *quick, f"--cert-dir={home}/run"],
        "containerd": ["-c", f"{home}/node{i}/containerd.toml"],
        "kubelet": [f"--config={home}/node{i}/kubelet.yaml", f"{config}/node{i}.kubeconfig", f"--hostname-override=node{i}",
                    f"--node-ip={node_address(n, i)}"],
        # 0: the limits of connection tracking are the whole machine's, so they stay as they are.
        "kube-proxy": [f"{config}/proxy.kubeconfig", f"--hostname-override=node{i}", "--proxy-mode=iptables",
                       f"--cluster-cidr={POD_NETWORK}", "--conntrack-max-per-core=0",
                       "--conntrack-tcp-timeout-established=0", "--conntrack-tcp-timeout-close-wait=0"],
        "kwok": [f"{config}/admin.kubeconfig", f"--config={programs.HERE}/fake.yaml", "--manage-all-nodes=false",
                 f"--cidr={FAKE_PODS}", "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
                 f"--node-lease-duration-seconds={GRACE_S}"],
    }[name]
    program = programs.find(name) if name in programs.DEBIAN else f"{bin_folder}/{name}"
    return [program, *words]
