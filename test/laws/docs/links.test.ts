/** Every link of the documentation leads to a file that is there, and to a heading of it. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const paths = globSync(['*.md', 'docs/**/*.md', 'clients/**/*.md'], { cwd: root, exclude: ['**/node_modules'] })

/** The text of a page without its blocks of code. */
const proseOf = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll(/^( *)```.*?^\1```$/gms, '')

/** The anchors of a page, as GitHub makes them of headings. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = [...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!)
  return new Set(headings.map(anchorOf))
}

const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')

/** The links of a page that lead nowhere. */
function deadIn(path: string): string[] {
  const links = [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
  return links.filter((link) => !/^[a-z]+:/.test(link)).filter((link) => !leadsSomewhere(path, link))
}

function leadsSomewhere(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : normalize(join(dirname(path), file))
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor)
}

test('no link is dead', () => {
  assert.ok(paths.length > 80)
  assert.deepEqual(
    paths.flatMap((path) => deadIn(path).map((link) => `${path}: ${link}`)),
    [],
  )
})

test('what is found as an anchor is what GitHub makes', () => {
  assert.equal(anchorOf('`wolke exec`, and [more](more.md): A/B'), 'wolke-exec-and-more-ab')
})
