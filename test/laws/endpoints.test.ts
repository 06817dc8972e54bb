/**
 * Clients have two endpoints, the second one for Storage Boxes. Whoever is told only the first sends the token to the
 * public service with some requests, so no file of the tree tells one without the other.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

interface Pair {
  readonly first: RegExp
  readonly second: RegExp
}

const pairs: readonly Pair[] = [
  // Who only reads the variable, as `$HCLOUD_ENDPOINT/servers` and `env.HCLOUD_ENDPOINT`, points no client anywhere.
  { first: /(?<![$.{\w]|environ\[")HCLOUD_ENDPOINT/g, second: /HETZNER_ENDPOINT/g },
  { first: /\bapi_endpoint"?\s*[=:]/g, second: /\bapi_endpoint_hetzner"?\]?\s*[=:]/g },
  // In the block of a provider.
  { first: /^\s*endpoint\s*=\s*["$]/gm, second: /^\s*endpoint_hetzner\s*=\s*["$]/gm },
]

const isUneven = (text: string) =>
  pairs.some(({ first, second }) => [...text.matchAll(first)].length > [...text.matchAll(second)].length)

const root = join(import.meta.dirname, '../..')
const files = globSync('{*.md,docs/**,src/**,console/**,scripts/**,test/**,bench/**,attack/**,lab/**}', {
  cwd: root,
  exclude: (path) => /(^|\/)(node_modules|generated|fixtures)$/.test(path),
}).filter((path) => path !== 'test/laws/endpoints.test.ts' && /\.(md|ts|tsx|mjs|py|tf|sh|html|json)$/.test(path))

test('no file names an endpoint of the clients without the other one', () => {
  assert.ok(['README.md', 'docs/terraform.md', 'src/commands/serve.ts'].every((path) => files.includes(path)))
  assert.deepEqual(
    files.filter((path) => isUneven(readFileSync(join(root, path), 'utf8'))),
    [],
  )
})

test('one that does is found', () => {
  const alone = [
    'export HCLOUD_ENDPOINT=http://127.0.0.1:8080/v1',
    'const env = { HCLOUD_ENDPOINT: url, HCLOUD_TOKEN: token }',
    'Client(token=token, api_endpoint="http://127.0.0.1:8080/v1")',
    'provider "hcloud" {\n  endpoint = "http://127.0.0.1:8080/v1"\n}',
    'export HCLOUD_ENDPOINT=a HETZNER_ENDPOINT=a\nexport HCLOUD_ENDPOINT=b',
  ]
  for (const text of alone) assert.ok(isUneven(text), text)
  const fine = [
    'export HCLOUD_ENDPOINT=a HETZNER_ENDPOINT=a\ncurl $HCLOUD_ENDPOINT/servers',
    'fetch(env.HCLOUD_ENDPOINT)\nos.environ["HCLOUD_ENDPOINT"]',
    'Client(api_endpoint=url, api_endpoint_hetzner=url)',
    "throw new ApiError('deprecated_api_endpoint')",
  ]
  for (const text of fine) assert.ok(!isUneven(text), text)
})
