/** What no file of the console may do, so that what people type stays text. The policy of its pages is the second guard. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url).pathname
const files = globSync(['console/**/*.{ts,tsx}', 'src/people/pages/*.ts'], { cwd: root }).map((path) => ({
  path,
  code: readFileSync(root + path, 'utf8'),
}))

const found = (pattern: RegExp) =>
  files.flatMap(({ path, code }) => [...code.matchAll(pattern)].map(([text]) => `${path}: ${text}`))

test('nothing makes HTML or code of text', () => {
  assert.ok(files.length > 100)
  assert.deepEqual(
    found(
      /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|document\.write|\beval\(/g,
    ),
    [],
  )
  assert.deepEqual(found(/new Function\(|srcdoc|javascript:/gi), [])
})

test('plain links lead to places that are written down, never to what somebody has typed', () => {
  const links = found(/\bhref=\{[^}]*\}?/g)
  assert.ok(links.length > 0)
  assert.deepEqual(
    // `addressOf` is that of a request to this server.
    links.filter((link) => !/href=\{(?:`(?:[/#]|\$\{publicBase\})|again\}|addressOf\(project, )/.test(link)),
    [],
  )
})
