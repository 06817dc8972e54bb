/** A real ACME authority issues through our name server, however awkward it is. WOLKE_TEST_ISSUANCES asks for more than a few. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ask } from '../dns/client.ts'
import { findProgram, run, type Service, skipWithout } from './kit/clients.ts'
import { type AcmeRig, type Awkwardness, pebble, startRig } from './kit/pebble.ts'

const issuances = Number(process.env.WOLKE_TEST_ISSUANCES ?? '20')
/** Pebble asks over UDP alone, so that no name may have more challenges at once than fit into its messages. */
const zoneCount = 24
const quick = { PEBBLE_VA_NOSLEEP: '1' }

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Body = any

async function call({ env }: Service, method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(env.HCLOUD_ENDPOINT + path, {
    method,
    headers: { authorization: `Bearer ${env.HCLOUD_TOKEN}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Asks for certificates and waits until all of their actions are over. */
async function issueAll(service: Service, wanted: readonly string[][]): Promise<Body[]> {
  const started = []
  for (const [index, domain_names] of wanted.entries()) {
    const body = { name: `certificate-${index}-${domain_names[0]}`, type: 'managed', domain_names }
    started.push(await call(service, 'POST', '/certificates', body))
  }
  for (const { action } of started) await ended(service, action.id)
  return Promise.all(
    started.map(async ({ certificate }) => (await call(service, 'GET', `/certificates/${certificate.id}`)).certificate),
  )
}

async function ended(service: Service, actionId: number): Promise<Body> {
  for (;;) {
    const { action } = await call(service, 'GET', `/actions/${actionId}`)
    if (action.status !== 'running') return action
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Waits until an action has come so far, or further. */
async function reached(service: Service, actionId: number, progress: number): Promise<void> {
  while ((await call(service, 'GET', `/actions/${actionId}`)).action.progress < progress) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

async function makeZone(service: Service, name: string): Promise<string> {
  await call(service, 'POST', '/zones', { name, mode: 'primary' })
  return name
}

/** The chain leads from the leaf to Pebble's root, as openssl sees it. */
async function verify({ service, root }: AcmeRig, certificate: Body, hostname: string): Promise<void> {
  const file = (name: string, content: string) => {
    writeFileSync(join(service.folder, name), content)
    return join(service.folder, name)
  }
  const [ca, chain] = [file('root.pem', await root()), file('chain.pem', certificate.certificate)]
  const args = ['verify', '-CAfile', ca, '-untrusted', chain, '-verify_hostname', hostname, chain]
  const { code, stderr, stdout } = await run('openssl', args)
  assert.equal(code, 0, stdout + stderr)
}

async function withRig(awkwardness: Awkwardness, work: (rig: AcmeRig) => Promise<void>, options = {}): Promise<void> {
  const rig = await startRig(awkwardness, options)
  try {
    await work(rig)
  } finally {
    await rig.stop()
  }
}

/** One certificate for a domain, another below it and a wildcard is issued, and openssl accepts it. */
async function issueOne(rig: AcmeRig): Promise<Body> {
  const zone = await makeZone(rig.service, 'one.example')
  const names = [zone, `*.${zone}`, `deep.below.${zone}`]
  const [issued] = await issueAll(rig.service, [names])
  assert.deepEqual(issued.status, { issuance: 'completed', renewal: 'unavailable', error: null })
  assert.deepEqual(issued.domain_names, names)
  await verify(rig, issued, `any.${zone}`)
  return issued
}

describe('ACME with Pebble', () => {
  if (!pebble || !findProgram('openssl')) {
    test('issues', (t) => skipWithout(t, 'pebble or openssl is not installed'))
    return
  }

  test('issues for domains and wildcards, with an account that is bound to another', () =>
    withRig(quick, async (rig) => void (await issueOne(rig)), { isBound: true }))

  test('issues with chains of four certificates', () =>
    withRig({ ...quick, PEBBLE_CHAIN_LENGTH: '4' }, async (rig) => {
      const issued = await issueOne(rig)
      assert.ok(issued.certificate.match(/BEGIN CERTIFICATE/g).length >= 4)
    }))

  test('waits for an authority that looks slowly', () =>
    withRig({ PEBBLE_VA_SLEEPTIME: '5' }, async (rig) => void (await issueOne(rig))))

  test('goes on where a server was killed, at any step, and leaves no challenge behind', () =>
    withRig({ PEBBLE_VA_SLEEPTIME: '2', PEBBLE_WFE_NONCEREJECT: '50' }, async ({ service }) => {
      const zone = await makeZone(service, 'killed.example')
      const started: Body[] = []
      for (const progress of [0, 25, 50, 75]) {
        for (const name of ['a', 'b']) {
          const body = { name: `${name}-${progress}`, type: 'managed', domain_names: [`${name}-${progress}.${zone}`] }
          started.push(await call(service, 'POST', '/certificates', body))
        }
        await reached(service, started.at(-1)!.action.id, progress)
        await service.restart()
      }
      for (const { action, certificate } of started) {
        const { error } = await ended(service, action.id)
        // The authority may look while there is no server to answer it; then a retry issues.
        if (error) {
          assert.equal(error.code, 'ca_dns_validation_failed', JSON.stringify(error))
          const again = await call(service, 'POST', `/certificates/${certificate.id}/actions/retry`)
          assert.equal((await ended(service, again.action.id)).status, 'success')
        }
        const [name] = certificate.domain_names
        const [host, port] = service.dns.split(':')
        assert.deepEqual((await ask({ host: host!, port: Number(port) }, `_acme-challenge.${name}`, 'TXT')).answers, [])
      }
    }))

  for (const reuse of ['0', '100']) {
    test(`issues ${issuances} when 90 % of nonces are refused and ${reuse} % of authorizations reused`, () =>
      withRig({ ...quick, PEBBLE_WFE_NONCEREJECT: '90', PEBBLE_AUTHZREUSE: reuse }, async ({ service }) => {
        const zones: string[] = []
        for (let index = 0; index < zoneCount; index++) zones.push(await makeZone(service, `many-${index}.example`))
        const wanted = Array.from({ length: issuances }, (_, index) => [
          `${index % 7}.${zones[index % zoneCount]}`,
          `*.${zones[(index + 1) % zoneCount]}`,
        ])
        const issued = await issueAll(service, wanted)
        assert.deepEqual(
          issued.filter(({ status }) => status.issuance !== 'completed').map(({ status }) => status),
          [],
        )
        const keys = issued.map(
          ({ certificate }) => new X509Certificate(certificate).publicKey.export({ format: 'jwk' }).x,
        )
        assert.equal(new Set(keys).size, issuances, 'each has a key of its own')
      }))
  }
})
