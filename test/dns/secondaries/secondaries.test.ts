/**
 * Secondary zones answer as their primaries do: BIND and Knot are asked the same questions, and delv validates what is
 * signed.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { run, skipWithout } from '../../clients/kit/clients.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { expect } from '../../kit/resources.ts'
import { type Place, serveDns } from '../client.ts'
import { differences } from './differences.ts'
import { askAll, type Question, type Told } from './messages.ts'
import { missingPrograms, type Primary, startBind, startKnot } from './programs.ts'
import { questionsAbout, type Signing, zoneNames } from './zones.ts'

const missing = missingPrograms()

/** All records in answers about each name. */
function knownRecords(questions: readonly Question[], told: readonly Told[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byName = Map.groupBy(questions.keys(), (index) => questions[index]!.name)
  return new Map([...byName].map(([name, some]) => [name, new Set(some.flatMap((index) => told[index]!.answers))]))
}

const settings = { zones: { privatePrimaries: ['127.0.0.0/8'] } }
const signings = Object.keys(zoneNames) as Signing[]

/** Questions about the owners of NSEC3 records in answers: they are no names of the zone (RFC 5155, 7.2.8). */
function questionsAboutHashes(told: readonly Told[]): Question[] {
  const owners = told.flatMap(({ authorities }) => authorities.filter((one) => / NSEC3 /.test(one)))
  const names = new Set(owners.map((one) => one.split('. ')[0]!))
  return [...names].flatMap((name) =>
    (['A', 'NSEC3', 'RRSIG'] as const).flatMap((type) => [false, true].map((dnssecOk) => ({ name, type, dnssecOk }))),
  )
}

/** Every record of a zone as text, as dig reads them out of a transfer. */
async function transferred({ port }: Place, zone: string): Promise<string[]> {
  const options = ['@127.0.0.1', '-p', String(port), '+noall', '+answer', '+onesoa', '+noidnout']
  const { stdout } = await run('dig', [...options, zone, 'AXFR'])
  const lines = stdout.trim().split('\n')
  assert.ok(lines.length > 70, stdout)
  // The case of owners makes no difference.
  return lines.map((line) => line.replace(/^\S+/, (owner) => owner.toLowerCase()).replaceAll(/\s+/g, ' ')).sort()
}

// ---- Validation ----------------------------------------------------------------------------------------------------

const yes = '; fully validated'
const none = '; negative response, fully validated'

/** Questions about names in a zone, and what delv says about the answers. */
const validated: readonly (readonly [name: string, type: string, expected: string])[] = [
  ['www', 'A', yes],
  ['_ipp._tcp', 'PTR', yes],
  ['My\\032Printer._ipp._tcp', 'SRV', yes],
  ['svc', 'HTTPS', yes],
  ['private', 'TYPE65280', yes],
  ['chain', 'A', yes],
  ['a.dn', 'A', yes],
  ['dn', 'DNAME', yes],
  ['x.y.wild', 'A', yes],
  ['x.alias.wild', 'A', yes],
  ['secure', 'DS', yes],
  ['insecure', 'DS', none],
  ['nothing', 'A', none],
  ['\\000', 'A', none],
  ['nothing.dn', 'A', yes],
  ['x.gone.wild', 'A', yes],
  ['www', 'MX', none],
  ['x.wild', 'MX', none],
  ['b.empty', 'A', none],
]

/** What delv says about each question, line by line; the order of records and the case of names make no difference. */
function validations({ port }: Place, anchors: string, zone: string): Promise<string[][]> {
  const options = ['@127.0.0.1', '-p', String(port), '-a', anchors, `+root=${zone}`]
  return Promise.all(
    validated.map(async ([name, type]) => {
      const { stdout, stderr } = await run('delv', [...options, `${name}.${zone}`, type])
      return `${stdout}${stderr}`.toLowerCase().split('\n').sort()
    }),
  )
}

/** The keys of a zone as trust anchors of delv. */
async function trustAnchors({ port }: Place, zone: string): Promise<string> {
  const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(port), '+short', zone, 'DNSKEY'])
  const keys = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  const anchors = keys.map(([flags, protocol, algorithm, ...key]) => {
    return `"${zone}." static-key ${flags} ${protocol} ${algorithm} "${key.join('')}";`
  })
  return `trust-anchors { ${anchors.join(' ')} };`
}

for (const [program, start] of [
  ['BIND', startBind],
  ['Knot', startKnot],
] as const) {
  let folder: string
  let primary: Primary
  /** What the primary answers, which is the same for every database. */
  const expected = new Map<Signing, { questions: Question[]; told: Told[] }>()

  before(async () => {
    if (missing.length > 0) return
    folder = mkdtempSync(join(tmpdir(), 'wolke-primary-'))
    primary = await start(folder)
    for (const signing of signings) {
      const questions = questionsAbout(zoneNames[signing])
      const told = await askAll(primary, questions)
      const hashed = questionsAboutHashes(told)
      expected.set(signing, {
        questions: [...questions, ...hashed],
        told: [...told, ...(hashed.length > 0 ? await askAll(primary, hashed) : [])],
      })
    }
  })
  after(async () => {
    await primary?.stop()
    if (folder) rmSync(folder, { recursive: true })
  })

  forEachDatabase(`Secondaries of ${program}`, (open) => {
    for (const signing of signings) {
      test(`a zone (${signing}) is answered as its primary does`, async (t) => {
        if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
        const place = await secondaryOf(await open({ settings }), signing)
        const { questions, told } = expected.get(signing)!
        const ours = await askAll(place, questions)
        const known = knownRecords(questions, told)
        const found = questions.map((question, index) =>
          differences(program, { question, own: ours[index]!, theirs: told[index]!, known: known.get(question.name)! }),
        )
        const faults = found.filter((lines) => lines.length > 0)
        assert.equal(faults.length, 0, `${faults.length} of ${questions.length} answers:\n${faults.flat().join('\n')}`)
      })

      test(`a zone (${signing}) goes on to others as it came`, async (t) => {
        if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
        const place = await secondaryOf(await open({ settings }), signing)
        const zone = zoneNames[signing]
        assert.deepEqual(await transferred(place, zone), await transferred(primary, zone))
      })

      if (signing === 'unsigned') continue
      test(`answers of a zone (${signing}) are validated by delv`, async (t) => {
        if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
        const place = await secondaryOf(await open({ settings }), signing)
        const zone = zoneNames[signing]
        const anchors = join(folder, `${signing}.anchors`)
        writeFileSync(anchors, await trustAnchors(primary, zone))
        const [ours, theirs] = await Promise.all([
          validations(place, anchors, zone),
          validations(primary, anchors, zone),
        ])
        assert.deepEqual(ours, theirs)
        for (const [index, [name, type, expected]] of validated.entries()) {
          // With opt-out, a name that could be delegated may be nearer than a wildcard, so its answer proves nothing.
          const allowed = signing === 'opt-out' ? [expected, '; unsigned answer'] : [expected]
          assert.ok(
            allowed.some((line) => ours[index]!.includes(line)),
            `${name} ${type}: ${ours[index]!.join('\n')}`,
          )
        }
      })
    }
  })

  /** A name server with the zone as a secondary of the primary. */
  async function secondaryOf(world: World, signing: Signing): Promise<Place> {
    const name = zoneNames[signing]
    const primary_nameservers = [{ address: '127.0.0.1', port: primary.port }]
    expect(await world.api.post('/zones', { name, mode: 'secondary', primary_nameservers }), 201)
    const place = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 9 }] })
    await place.look()
    assert.equal((await world.api.get(`/zones/${name}`)).body.zone.status, 'ok')
    return place
  }
}
