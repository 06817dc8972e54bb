/**
 * A root of its own for a program that copies: it sees programs of the system, itself among the processes, which `chmod` on
 * a directory that nobody may enter needs, the tree it reads and the place it writes to.
 * The owner of the tree may turn a directory into a link while it is copied, and the link then leads to nothing else.
 */
import type { RunOptions } from '../../../commands.ts'
import { work } from '../programs.ts'

/** Arguments: where to mount, the tree, the place to write to, the program and its arguments. */
const script = `
set -e
mount -t tmpfs -o mode=755,size=64k,nosuid,nodev none "$1"
cd "$1"
for name in bin lib lib32 lib64 libx32; do
  if [ -L "/$name" ]; then cp -P "/$name" "$name"
  elif [ -d "/$name" ]; then mkdir "$name"; mount --bind "/$name" "$name"
  fi
done
mkdir usr proc from to
mount -t proc -o nosuid,nodev,noexec,subset=pid none proc
mount --bind /usr usr
mount --bind "$2" from
mount -o remount,bind,ro from
mount --bind "$3" to
shift 3
exec chroot . "$@"
`

/** A cell has the tree and the place to write to at these paths. */
export const inCell = { from: '/from', to: '/to' }

/** Runs a program in a cell that is mounted over the empty directory `cell`. Errors: those of `run`. */
export function runInCell(
  cell: string,
  { from, to }: { from: string; to: string },
  command: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const namespaces = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--']
  return work('unshare', [...namespaces, 'sh', '-c', script, 'sh', cell, from, to, ...command], options)
}
