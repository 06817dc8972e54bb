/** Trees with all that a file system can hold, and what tells whether two of them are the same. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A digest of all names, modes, owners, times, links, attributes and bytes of a tree; sockets are left out. */
export async function digestOf(directory: string): Promise<string> {
  const attributes = ['--format=posix', '--pax-option=delete=atime,delete=ctime', '--xattrs', '--numeric-owner']
  const args = ['--sort=name', ...attributes, '-C', directory, '-cf', '-', '.']
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const hash = createHash('sha256')
  await Promise.all([pipeline(tar.stdout, hash), once(tar, 'exit')])
  if (tar.exitCode !== 0) throw new Error(`tar ended with ${tar.exitCode}`)
  return hash.digest('hex')
}

/** A socket that nobody listens to. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer().listen(path)
  await once(server, 'listening')
  // Closing would unlink it, and so it has another name by then.
  linkSync(path, `${path}-left`)
  server.close()
  await once(server, 'close')
}

/** Fills a directory with everything odd. */
export async function fillOddly(directory: string): Promise<void> {
  const at = (...parts: string[]) => join(directory, ...parts)
  mkdirSync(at('folder', 'deeper'), { recursive: true })
  writeFileSync(at('folder', 'text'), 'hello')
  linkSync(at('folder', 'text'), at('folder', 'deeper', 'the same'))
  writeFileSync(at('random'), Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7_919) % 251)))
  writeFileSync(at('sparse'), 'start')
  truncateSync(at('sparse'), 20_000_000)
  symlinkSync('/etc/passwd', at('leads out'))
  symlinkSync('nowhere', at('dangling'))
  symlinkSync('../../../..', at('folder', 'up'))
  execFileSync('mkfifo', [at('pipe')])
  for (const name of ['-rf', ' ', "'", '"', '$(id)', '`id`', 'a\nb', '\\', '%2F', 'ü', '*', '?']) {
    writeFileSync(at(name), name)
  }
  writeFileSync(Buffer.concat([Buffer.from(at('not utf-8 ')), Buffer.from([0xff, 0xfe])]), 'bytes')
  writeFileSync(at('n'.repeat(255)), 'the longest name')
  writeFileSync(at('closed'), 'closed')
  chmodSync(at('closed'), 0)
  mkdirSync(at('closed folder'))
  writeFileSync(at('closed folder', 'inside'), 'inside')
  chmodSync(at('closed folder'), 0)
  utimesSync(at('folder'), 1, 1)
  execFileSync('touch', ['-d', '2001-02-03 04:05:06.123456789 UTC', at('folder', 'text')])
  await leaveSocket(at('socket'))
}
