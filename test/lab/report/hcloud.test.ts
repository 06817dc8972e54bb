/** What the report tells of the hcloud command line, and its requests sent again by `wolke replay`. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Report } from '../../../src/lab/report/schema.ts'
import { installHcloud, type Outcome, run, type Service, serve, skipWithout } from '../../clients/kit/clients.ts'
import { bundle } from '../../program/kit/program.ts'

const readyFile = ({ folder }: Service) => JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'))

/** Requests to the API that only Wolke has, with the token of the lab. */
function labOf(service: Service) {
  const { base_url, lab_token } = readyFile(service)
  const url = `${new URL(base_url).origin}/wolke/v1`
  return async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${lab_token}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    assert.ok(response.ok, `${method} ${path}: ${response.status}`)
    return JSON.parse(await response.text())
  }
}

function replayed(service: Service, file: string, ...more: string[]): Promise<Outcome> {
  const { base_url } = readyFile(service)
  return run(process.execPath, [bundle, 'replay', file, '--endpoint', base_url, ...more], { env: service.env })
}

describe('hcloud in a lab', async () => {
  const installed = await installHcloud('new')
  if (!installed) return void test('is driven', (t) => skipWithout(t, 'hcloud is not installed'))
  const services = [await serve('memory', ['--action-delay', '20']), await serve('memory')] as const
  after(() => Promise.all(services.map((service) => service.stop())))

  test('is told of, and its run is answered alike by another cloud', async () => {
    const [first, second] = services
    const lab = labOf(first)
    const hcloud = async (...args: string[]) => {
      const { code, stderr } = await run(installed.program, ['--poll-interval', '5ms', ...args], { env: first.env })
      assert.equal(code, 0, stderr)
    }
    const { run: started } = await lab('POST', '/runs', { name: 'hcloud' })
    await hcloud('network', 'create', '--name', 'net', '--ip-range', '10.0.0.0/16')
    await hcloud('network', 'add-subnet', 'net', '--type', 'server', '--network-zone', 'eu-central')
    await hcloud('server', 'create', '--name', 'one', '--type', 'cx23', '--image', 'debian-12')
    await hcloud('server', 'delete', 'one')
    await lab('POST', `/runs/${started.id}/end`)
    const { report } = (await lab('GET', `/runs/${started.id}/report?fail_on=leftovers,unawaited,deprecated`)) as {
      report: Report
    }
    assert.deepEqual(
      report.leftovers.map(({ type, name }) => [type, name]),
      [['network', 'net']],
    )
    assert.ok(report.polling.requests > 0)
    assert.deepEqual(report.unawaited_actions, [])
    assert.deepEqual(
      report.deprecations.map(({ field, stops }) => [field, stops]),
      [['type', '2027-04-15T00:00:00Z']],
    )
    assert.deepEqual(
      report.assertions.map(({ holds }) => holds),
      [false, true, false],
    )
    const file = join(first.folder, 'run.har')
    writeFileSync(file, JSON.stringify(await lab('GET', `/runs/${started.id}/har`)))
    const alike = await replayed(second, file)
    assert.equal(alike.code, 0, alike.stdout + alike.stderr)
    assert.match(alike.stdout, /^\d+ requests sent, 0 not sent, 0 answered differently\n$/)
    const again = await replayed(second, file, '--wait', '0')
    assert.equal(again.code, 1, again.stderr)
    assert.match(again.stdout, /POST \/networks: status: 201 is now 409\n/)
    const broken = join(first.folder, 'broken.har')
    writeFileSync(broken, '{"log":{}}')
    const refused = await replayed(second, broken)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /^wolke: .*broken\.har: is no HAR file: [^\n]+\n$/)
  })
})
