/**
 * Root runs these within a mount namespace that belongs to one program, before and after the program has been loaded. The
 * tools are those of util-linux, and a shell puts them one after the other; nothing that a customer sends is part of it.
 */

/**
 * Starts a program as somebody without rights. It sees an /etc that says who it is and nothing else. Arguments: the uid, the
 * gid, most bytes of a file, the program and its arguments.
 */
export const launching = `
set -e
uid=$1 gid=$2 most=$3
shift 3
mount -t tmpfs -o mode=755,size=64k,nosuid,nodev,noexec none /etc
echo "box:x:$uid:$gid::/:/bin/false" >/etc/passwd
echo "box:x:$gid:" >/etc/group
printf 'passwd: files\\ngroup: files\\n' >/etc/nsswitch.conf
exec setpriv --reuid="$uid" --regid="$gid" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \\
  --pdeathsig KILL -- prlimit --core=0 --nofile=512 --nproc=4096 --fsize="$most" -- "$@"
`

/**
 * Makes a directory the root of everything in the namespace. Whoever owns it may put a symbolic link in its place at any
 * moment, so what counts is where the shell is once it has arrived: only a directory below the one that is expected has its
 * name. Argument: the directory.
 */
export const pivoting = `
set -e
arrive() { cd -P "$1"; [ "$(pwd -P)" = "$1" ]; }
arrive "$1"
mount -c --bind . .
arrive "$1"
mount -c -o remount,bind,nosuid,nodev,noexec none .
exec pivot_root . .
`

/**
 * Lets go of the machine. Until then its root covers the new one, which is where the tools are. Arguments: the program's id,
 * the directory of snapshots when they are to be seen, and something when nothing may be changed.
 */
export const leaving = `
set -e
new=/proc/$1/root
if [ -n "$2" ]; then
  mount -c --bind "$2" "$new/.zfs/snapshot"
  mount -c -o remount,bind,ro,nosuid,nodev,noexec none "$new/.zfs/snapshot"
fi
if [ -n "$3" ]; then mount -c -o remount,bind,ro,nosuid,nodev,noexec none "$new/"; fi
exec umount -l /
`
