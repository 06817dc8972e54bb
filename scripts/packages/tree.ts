/** What packages of every kind are made of. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pages } from './docs.ts'

export const root = join(import.meta.dirname, '../..')

export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Copies the built program: without what only its build needs, and without what it compiled for itself. */
export function copyProgram(to: string): void {
  const left = /^(\.|.*\.map$|console\/previous)/
  const from = join(root, 'dist')
  cpSync(from, to, { recursive: true, filter: (path) => path === from || !left.test(path.slice(from.length + 1)) })
}

/**
 * Writes the program and its own Node.js, which runs it in the place of one that the machine may have. Licenses are
 * elsewhere. Where no shell would start it, main.js is a command itself, which names the `interpreter`.
 */
export function writeProgramWithNode(to: string, interpreter?: string): void {
  const main = join(to, 'dist/main.js')
  copyProgram(join(to, 'dist'))
  rmSync(join(to, 'dist/THIRD-PARTY-NOTICES.txt'))
  rmSync(main)
  const text = readFileSync(join(root, 'dist/main.js'), 'utf8').replace(/^#!.*\n/, '')
  if (interpreter === undefined) write(main, text)
  else write(main, `#!${interpreter}\n${text}`, 0o755)
  write(join(to, 'package.json'), JSON.stringify({ name: 'wolke', version: manifest.version, type: 'module' }))
  copyFileSync(join(root, 'node_modules/node/bin/node'), join(to, 'node'))
  execFileSync('strip', ['--strip-unneeded', join(to, 'node')])
}

/** The licenses of the program, of the libraries in it, and of Node.js, by the names of their files. */
export function licenses(): Readonly<Record<'LICENSE' | 'LICENSE.node' | 'THIRD-PARTY-NOTICES.txt', string>> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const node = globSync('node_modules/node/node_modules/node-linux-*/LICENSE', { cwd: root })[0]!
  return {
    LICENSE: read('LICENSE'),
    'LICENSE.node': read(node),
    'THIRD-PARTY-NOTICES.txt': read('dist/THIRD-PARTY-NOTICES.txt'),
  }
}

/** The time of what is made, in seconds since the epoch: `SOURCE_DATE_EPOCH`, or the time of the commit. */
export function epoch(): number {
  return Number(process.env.SOURCE_DATE_EPOCH ?? output('git', 'log', '-1', '--format=%ct'))
}

/** The name by which Debian, Go and container engines call the architecture of this machine. */
export function architecture(): string {
  const name = { x64: 'amd64', arm64: 'arm64' }[process.arch as string]
  if (name === undefined) throw new Error(`There is no package for ${process.arch}`)
  return name
}

/** Runs a command in the folder of the project to its end, and returns what it prints. */
export function output(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 24 }).trim()
}

/** Files and folders become as old as the version. */
export function setTimes(tree: string, seconds: number): void {
  for (const path of globSync('**', { cwd: tree })) utimesSync(join(tree, path), seconds, seconds)
  utimesSync(tree, seconds, seconds)
}

/** Writes the documentation of a package that has these files and folders besides. */
export function writePages(to: string, others: readonly string[]): void {
  for (const { path, text } of pages(root, others)) write(join(to, path), text)
}

export function write(path: string, contents: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents, { mode })
}
