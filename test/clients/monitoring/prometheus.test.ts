/** The files in monitoring/ work in a real Prometheus that reads a real server, on both databases. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { engines } from '../../kit/engines.ts'
import { call, program, type Served } from '../../program/kit/program.ts'
import { measured, newDatabase, Scraped, scrape } from '../../program/metrics/kit/scrape.ts'
import { findProgram, installOpenMetrics, run, skipWithout } from '../kit/clients.ts'

const files = join(import.meta.dirname, '../../../monitoring')
const rules = join(files, 'wolke.rules.yaml')
const place = program('prometheus')

/** What the dashboard asks, with the title of who asks it. */
const asked = (JSON.parse(readFileSync(join(files, 'wolke.dashboard.json'), 'utf8')) as Dashboard).panels.flatMap(
  ({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })),
)

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[]
}

/** Names of metrics in an expression, without the endings of histograms; recorded ones have colons. */
function namesIn(expr: string): string[] {
  const names = expr.replace(/"[^"]*"/g, '').match(/\b(?:wolke|nodejs|process)_\w+(?![\w:])/g) ?? []
  return names.map((name) => name.replace(/_(bucket|sum|count)$/, ''))
}

test('promtool accepts the rules, and they fire when they should', async (t) => {
  const promtool = findProgram('promtool')
  if (!promtool) return skipWithout(t, 'promtool is not there')
  for (const args of [
    ['check', 'rules', '--lint=all', '--lint-fatal', rules],
    ['test', 'rules', join(files, 'wolke.rules.test.yaml')],
  ]) {
    const { code, stdout, stderr } = await run(promtool, args)
    assert.equal(code, 0, stdout + stderr)
  }
})

/** Starts a Prometheus that reads a server and has the rules; returns what asks it. */
async function startPrometheus(t: TestContext, path: string, { metricsUrl }: Served) {
  const folder = join(place.folder, `prometheus-${t.name.replace(/\W+/g, '-')}`)
  mkdirSync(folder)
  const config = join(folder, 'prometheus.yml')
  const { host } = new URL(metricsUrl!)
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'wolke', static_configs: [{ targets: [host] }] }],
    }),
  )
  const storage = `--storage.tsdb.path=${join(folder, 'data')}`
  const child = spawn(path, [`--config.file=${config}`, storage, '--web.listen-address=127.0.0.1:0'])
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const address = () => /msg="Listening on" address=(\S+)/.exec(said)?.[1]
  await until(async () => {
    assert.equal(child.exitCode, null, said)
    return address() !== undefined && (await fetch(`http://${address()}/-/ready`)).ok
  }, 'Prometheus is ready')
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return async (path: string, parameters: Record<string, string> = {}): Promise<any> => {
    const response = await fetch(`http://${address()}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    return response.json()
  }
}

/** Lets a server do something of each kind. */
async function use({ baseUrl }: Served): Promise<void> {
  const server = { name: 'web', server_type: 'cpx22', image: 'debian-13' }
  assert.equal((await call(baseUrl, 'POST', '/servers', server)).status, 201)
  assert.equal((await call(baseUrl, 'GET', '/servers')).status, 200)
}

for (const engine of engines) {
  test(`a Prometheus reads a server on ${engine}, and knows all that rules and dashboard ask for`, async (t) => {
    const prometheus = findProgram('prometheus')
    if (!prometheus) return skipWithout(t, 'prometheus is not there')
    const server = await place.serve(await newDatabase(t, engine, place), ...measured)
    await use(server)
    const ask = await startPrometheus(t, prometheus, server)
    const isHealthy = async () => {
      const [target] = (await ask('targets')).data.activeTargets
      assert.equal(target?.lastError ?? '', '')
      return target?.health === 'up'
    }
    await until(isHealthy, 'the server is read')
    const rulesOf = async (): Promise<{ name: string; health: string; lastError?: string }[]> =>
      (await ask('rules')).data.groups.flatMap(({ rules }: { rules: object[] }) => rules)
    const areEvaluated = async () => (await rulesOf()).every(({ health }) => health !== 'unknown')
    await until(areEvaluated, 'all rules were evaluated')
    const ill = (await rulesOf()).filter(({ health }) => health !== 'ok')
    assert.deepEqual(ill, [])
    const { names } = await scrape(server)
    const info = await ask('query', { query: 'wolke_build_info' })
    assert.equal(info.data.result.length, 1)
    for (const { title, expr } of asked) {
      const query = expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'wolke')
      const { status, error } = await ask('query', { query })
      assert.equal(status, 'success', `${title}: ${query}: ${error}`)
      for (const name of namesIn(expr)) assert.ok(names.has(name), `${title} asks for ${name}`)
    }
    for (const name of namesIn(readFileSync(rules, 'utf8'))) assert.ok(names.has(name), `a rule asks for ${name}`)
    await server.stop()
  })
}

test('the format of OpenMetrics is what its own parser reads', async (t) => {
  const server = await place.serve('memory', ...measured)
  await use(server)
  const accept = 'application/openmetrics-text; version=1.0.0'
  const text = await (await fetch(server.metricsUrl!, { headers: { accept } })).text()
  const plain = await scrape(server)
  await server.stop()
  const names = new Scraped(text.replace(/# EOF\n$/, ''))
  assert.deepEqual(
    [...plain.names].map((name) => name.replace(/_total$/, '')).sort(),
    [...names.names].map((name) => name.replace(/_total$/, '')).sort(),
  )
  const python = await installOpenMetrics()
  if (!python) return skipWithout(t, 'the parser could not be installed')
  const program =
    'import sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse; ' +
    'print(len(list(parse(sys.stdin.read()))))'
  const { code, stdout, stderr } = await run(python, ['-c', program], { input: text })
  assert.equal(code, 0, stderr)
  assert.equal(Number(stdout), names.names.size)
})
