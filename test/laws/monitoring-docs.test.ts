/** The page about monitoring tells of every metric and of every alert that there is, and of none that there is not. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { measure } from '../../src/metrics/open.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/operating/monitoring.md'), 'utf8')
const rules = readFileSync(join(root, 'monitoring/wolke.rules.yaml'), 'utf8')

interface Described {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
}

/** All metrics as they are registered; nothing is read. */
function registered(t: { after(end: () => void): void }): readonly Described[] {
  const log = { warn: () => undefined, info: () => undefined }
  const { registry, end } = measure({ world: () => assert.fail('nothing is read'), log: log as never })
  t.after(end)
  assert.ok(registry instanceof Registry)
  return registry.getMetricsAsArray() as unknown as readonly Described[]
}

/** The rows of the tables of metrics, by name. */
const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \| (process|all) \| (.*) \|$/gm)]

test('the page has a row for each metric, with its labels and meaning', (t) => {
  const all = registered(t)
  assert.deepEqual(rows.map(([, name]) => name!).sort(), all.map(({ name }) => name).sort())
  for (const { name, help, labelNames } of all) {
    const [, , , labels, , meaning] = rows.find(([, one]) => one === name)!
    assert.equal(meaning, help)
    assert.equal(labels!.trim(), labelNames.map((label) => `\`${label}\``).join(', '), name)
  }
})

test('the page names no metric that is not there', (t) => {
  const names = new Set(registered(t).map(({ name }) => name))
  for (const [, name] of page.matchAll(/`(wolke_\w+)`/g)) assert.ok(names.has(name!), name)
})

test('the page says what to do for each alert, and each has a summary and a description', () => {
  const alerts = [...rules.matchAll(/- alert: (\w+)\n(.*?)(?=\n {6}- |\n\n|$(?![\s\S]))/gs)]
  assert.ok(alerts.length > 20)
  const told = [...page.matchAll(/^\| `(Wolke\w+)` \| .+ \|$/gm)].map(([, name]) => name)
  assert.deepEqual(
    told,
    alerts.map(([, name]) => name),
  )
  for (const [, name, text] of alerts) {
    assert.match(text!, /severity: (critical|warning|info)/, name)
    assert.match(text!, /summary: .+\n +description: .+/, name)
  }
})
