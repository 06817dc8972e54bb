# Mounts control groups in the file system of a host, the folder that the shell is in, as the machine has them.
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  mount -t tmpfs tmpfs sys/fs/cgroup
  for hierarchy in /sys/fs/cgroup/*; do
    [ -L "$hierarchy" ] && continue
    folder=sys/fs/cgroup/${hierarchy##*/}
    mkdir "$folder"
    case ${hierarchy##*/} in
    unified) mount -t cgroup2 cgroup2 "$folder" ;;
    systemd) mount -t cgroup -o none,name=systemd cgroup "$folder" ;;
    *) mount -t cgroup -o "${hierarchy##*/}" cgroup "$folder" ;;
    esac
  done
fi
