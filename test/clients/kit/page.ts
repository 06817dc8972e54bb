/** The blocks of a page of docs/, for tests that follow it to the letter. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

export interface Block {
  readonly language: string
  readonly text: string
}

export interface Page {
  readonly text: string
  /** In the order of the page. */
  readonly blocks: readonly Block[]
  blocksOf(language: string): readonly Block[]
  /** What the page says that a block prints. Throws when it does not say. */
  printedBy(block: Block): string
}

/** Reads a page, by its path from the root of the project. */
export function readPage(path: string): Page {
  const page = readFileSync(join(root, path), 'utf8')
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => {
    return { language, text }
  })
  return {
    text: page,
    blocks,
    blocksOf: (language) => blocks.filter((block) => block.language === language),
    printedBy(block) {
      const said = blocks[blocks.indexOf(block) + 1]
      if (said?.language !== 'text') throw new Error(`the page does not say what this prints:\n${block.text}`)
      return said.text.trimEnd()
    },
  }
}

/** The first command of the README, which starts a server. */
export const firstCommand = 'npm ci && npm start'

/** Settings of a page, with the address and the token of a server in place of those of the page. */
export function settingsFor(block: Block, env: NodeJS.ProcessEnv): string {
  return block.text
    .replaceAll('http://127.0.0.1:8080', new URL(env.HCLOUD_ENDPOINT!).origin)
    .replaceAll('<token>', env.HCLOUD_TOKEN ?? '')
}
