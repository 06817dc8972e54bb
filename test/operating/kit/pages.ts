/** The pages for operators, and their blocks of code: each is carried out by a test, or says why it is not. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../docs/operating')

export interface Block {
  /** The name of its page in docs/operating. */
  readonly page: string
  readonly language: string
  readonly text: string
  /** Why no test carries it out, if none does. */
  readonly notRun: string | undefined
}

/** The names of all pages. */
export const pages: readonly string[] = globSync('*.md', { cwd: folder }).sort()

/** The text of a page. */
export const textOf = (page: string) => readFileSync(join(folder, page), 'utf8')

/** The blocks of a page in their order, without the indentation of lists. */
export function blocksOf(page: string): readonly Block[] {
  return blocksIn(page, textOf(page))
}

/** The blocks of a text. */
export function blocksIn(page: string, text: string): readonly Block[] {
  const found = text.matchAll(/^( *)```([^\s`]*)(?: not-run="([^"]+)")?\n(.*?)^\1```$/gms)
  return [...found].map(([, indent = '', language = '', notRun, inner = '']): Block => {
    return { page, language, text: inner.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), notRun }
  })
}

/** Tells whether a line of a block begins with this, which is how tests name blocks. */
export const hasLine = ({ text }: Block, beginning: string) => `\n${text}`.includes(`\n${beginning}`)

/** The block of a page that has a line with this beginning. Throws unless there is exactly one. */
export function block(page: string, beginning: string): Block {
  const found = blocksOf(page).filter((one) => hasLine(one, beginning))
  if (found.length !== 1) throw new Error(`${page} has ${found.length} blocks with a line "${beginning}..."`)
  return found[0]!
}
