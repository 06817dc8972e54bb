/** What packages of every kind are made of. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** Writes the documentation of a package that has these files and folders besides. */
export function writePages(to: string, others: readonly string[]): void {
  for (const { path, text } of pages(root, others)) write(join(to, path), text)
}

export function write(path: string, contents: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents, { mode })
}
