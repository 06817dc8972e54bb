/** The commands that are done here, by name. Others are programs of the system (programs.ts), and there are no more. */
import { chmod, cp, mkdir, mv, rm, rmdir, touch } from './changes.ts'
import type { Command } from './command.ts'
import { cat, dd, sum } from './contents.ts'
import { df, du, ls, pwd, stat, tree } from './looking.ts'
import { serveRestic } from './restic.ts'
import { scp } from './scp.ts'

const names = [
  'cat',
  'chmod',
  'cp',
  'dd',
  'df',
  'du',
  'ls',
  'mkdir',
  'mv',
  'pwd',
  'rm',
  'rmdir',
  'stat',
  'touch',
  'tree',
]

/** Somebody who asks for a shell is told this. */
const help: Command = async (shell) => {
  const sums = ['md5sum', 'sha1sum', 'sha256sum', 'sha512sum']
  const programs = ['borg', 'install-ssh-key', 'rclone', 'rsync', 'scp']
  await shell.print(`Available commands: ${[...names, ...sums, ...programs].sort().join(' ')}\n`)
  return 0
}

export const commands: Readonly<Record<string, Command>> = {
  ...{ cat, chmod, cp, dd, df, du, ls, mkdir, mv, pwd, rm, rmdir, stat, touch, tree, scp, help },
  rclone: serveRestic,
  md5sum: sum('md5'),
  sha1sum: sum('sha1'),
  sha224sum: sum('sha224'),
  sha256sum: sum('sha256'),
  sha384sum: sum('sha384'),
  sha512sum: sum('sha512'),
}
