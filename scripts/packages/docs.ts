/** The documentation as packages have it: the pages for who uses and runs Wolke, without links to what is not there. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Pages for who develops Wolke, and pictures, which would be a third of a package. */
const left = ['docs/adr/**', 'docs/pictures/**', 'docs/{console,contract,flaky,operations,spec-coverage}.md']

export interface Page {
  /** Its path from the root of the project, and in a package from its own. */
  readonly path: string
  readonly text: string
}

/** The pages of a package in which these paths are files or folders too. */
export function pages(root: string, others: readonly string[]): readonly Page[] {
  const paths = ['README.md', ...globSync('docs/**/*.md', { cwd: root, exclude: left }).sort()]
  const there = new Set([...paths, ...others])
  return paths.map((path) => ({ path, text: withoutDeadLinks(readFileSync(join(root, path), 'utf8'), path, there) }))
}

/** Links to what is not there become their texts, and a table of pictures goes. */
function withoutDeadLinks(text: string, path: string, there: ReadonlySet<string>): string {
  const isDead = (target: string) =>
    !/^([a-z]+:|#)/.test(target) && !there.has(normalize(join(dirname(path), target.replace(/#.*/, ''))))
  return text
    .replaceAll(/^\| \| \|\n\|---\|---\|\n(\|( !\[[^\]]*\]\([^)]*\) \|)+\n)+\n?/gm, '')
    .replaceAll(/(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (whole, _, shown: string, target: string) =>
      isDead(target) ? shown : whole,
    )
}
