/** Follows a page for operators: all of its blocks, in their order, on one machine. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from './machine.ts'
import { type Block, blocksOf, hasLine } from './pages.ts'

/** Carries out a block. `run` runs its text, or another script, on the machine, and resolves to what that prints. */
export type Doing = (run: (script?: string) => Promise<string>, block: Block) => unknown

/**
 * Carries out all blocks of a page but those that say why they are not run. Scripts are run as they are; what is done with
 * other blocks, and what is expected of scripts, is said by the beginning of a line of theirs.
 */
export async function follow(page: string, machine: Machine, doings: Readonly<Record<string, Doing>> = {}) {
  const blocks = blocksOf(page)
  for (const beginning of Object.keys(doings))
    assert.equal(blocks.filter((one) => hasLine(one, beginning)).length, 1, `${page}: ${beginning}`)
  for (const one of blocks) {
    if (one.notRun !== undefined) continue
    const own = Object.keys(doings).filter((beginning) => hasLine(one, beginning))
    assert.ok(own.length === 1 || (own.length === 0 && one.language === 'sh'), `who runs this?\n${one.text}`)
    const doing = own.length === 1 ? doings[own[0]!]! : prints()
    await doing((script = one.text) => machine.run(script), one)
  }
}

/** Runs a script, which prints all of this. */
export function prints(...expected: readonly RegExp[]): Doing {
  return async (run) => {
    const printed = await run()
    for (const one of expected) assert.match(printed, one)
  }
}

/** Puts a block at a path of the machine, and runs a script then. */
export function as(path: string, then = ':', ...expected: readonly RegExp[]): Doing {
  return async (run, { text }) => {
    const printed = await run(`cat >${path} <<'END OF BLOCK'\n${text}END OF BLOCK\n${then}`)
    for (const one of expected) assert.match(printed, one)
  }
}

/** Adds options to the configuration in place of those that are there, which has no mistakes then, and starts the service with it. */
export const configured: Doing = async (run, { text }) => {
  const names = [...text.matchAll(/^([\w-]+):/gm)].map(([, name]) => name)
  const script = `sed -i -E '/^(${names.join('|')}):/d' /etc/wolke/wolke.yaml
cat >>/etc/wolke/wolke.yaml <<'END OF BLOCK'
${text}END OF BLOCK
wolke config check
systemctl restart wolke`
  assert.match(await run(script), /wolke\.yaml: no mistakes\n/)
}

/** A block that another test carries out, which names it. */
export function elsewhere(file: string): Doing {
  return (_, block) => {
    const source = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')
    const named = [...source.matchAll(/\bblock\('([\w-]+\.md)', '([^']+)'\)/g)]
    assert.ok(
      named.some(([, page, beginning]) => page === block.page && hasLine(block, beginning!)),
      `${file} does not name the block:\n${block.text}`,
    )
  }
}
