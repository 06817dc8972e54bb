/** Folders of files to be sent, and whether two of them are the same. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names that programs stumble over. */
const names = [
  'plain',
  'with space',
  ' leading',
  'trailing ',
  "quote'quote",
  'double"quote',
  'back\\slash',
  '-dash',
  '$HOME',
  '`id`',
  'new\nline',
  'semi;colon',
  'star*',
  'ques?tion',
  'umläut',
  '日本',
  '😀',
  '#hash',
  '~tilde',
  'per%20cent',
  '.hidden',
  'a'.repeat(255),
]

/** Makes a tree; `mayHave` says which names, as some protocols cannot have every one of them. */
export function makeTree(folder: string, options: { count?: number; mayHave?: (name: string) => boolean } = {}): void {
  const { count = 40, mayHave = () => true } = options
  mkdirSync(join(folder, 'deep/er'), { recursive: true })
  for (const name of names.filter(mayHave)) writeFileSync(join(folder, 'deep', name), `content of ${name}`)
  for (let i = 0; i < count; i++) writeFileSync(join(folder, `file-${i}`), Buffer.alloc(i * 997, `${i} `))
  writeFileSync(join(folder, 'sparse'), 'begins')
  truncateSync(join(folder, 'sparse'), 5_000_000)
  writeFileSync(join(folder, 'empty'), '')
}

/** Lists what a tree holds: kinds, and contents by their digests. */
export function contentsOf(folder: string, below = ''): Record<string, string> {
  const all: Record<string, string> = {}
  for (const name of readdirSync(join(folder, below)).sort()) {
    const path = join(below, name)
    const info = lstatSync(join(folder, path))
    if (info.isSymbolicLink()) all[path] = `-> ${readlinkSync(join(folder, path))}`
    else if (info.isDirectory()) Object.assign(all, { [path]: 'directory' }, contentsOf(folder, path))
    else
      all[path] = createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex')
  }
  return all
}
