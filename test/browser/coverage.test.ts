/** Every operation of the API is used by a page of the console, or there is a reason why none does. */
import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { allEndpoints, ownEndpoints } from '../../src/pages/openapi.ts'
import { readDriven } from '../console/kit/driven.ts'

const merged = 'the activity page and the tabs of activity show the actions of all families'
const inList = 'the list, which pages have already, tells the same'
const forTesters = 'programs that test use it'
const whole = 'the records of a set are edited as a whole'

/** By the id of the operation, or the end of it that many share. The page of raw requests can make all of them. */
const notInConsole: Readonly<Record<string, string>> = {
  _listFamilyActions: merged,
  _getFamilyAction: merged,
  _getAction: merged,
  floating_ips_listActions: merged,
  primary_ips_listActions: merged,
  networks_listActions: merged,
  isos_get: inList,
  load_balancer_types_get: inList,
  locations_get: inList,
  lab_getFork: inList,
  lab_resetProject: forTesters,
  lab_exportSnapshot: forTesters,
  lab_importSnapshot: forTesters,
  faults_listFaults: forTesters,
  faults_createFault: forTesters,
  faults_deleteFaults: forTesters,
  faults_deleteFault: forTesters,
  faults_listScenarios: forTesters,
  faults_setScenario: forTesters,
  seed_seed: forTesters,
  seed_exportSeed: forTesters,
  lab_getRun: inList,
  reachability_capabilities: 'what a location cannot do is told by its refusal',
  server_types_get: inList,
  storage_box_types_get: inList,
  storage_boxes_uploadFile: 'files come in pieces from there, which have all the time that they need',
  storage_boxes_folders: 'programs that complete paths use it',
  storage_boxes_getSnapshot: inList,
  storage_boxes_getSubaccount: inList,
  zones_getRrset: inList,
  zones_updateRrset: 'labels of sets of records are for programs',
  zones_addRecords: whole,
  zones_removeRecords: whole,
  zones_updateRecords: whole,
  primary_ips_changeServerDnsPtr: 'the name belongs to the address, whose page changes it',
  people_acceptInvitation: 'the page behind the link of an invitation does it, before the console is there',
}

const text = ['families', 'pages', 'shell', 'api']
  .flatMap((folder) =>
    readdirSync(new URL(`../../console/${folder}/`, import.meta.url), { recursive: true, encoding: 'utf8' })
      // Commands for other clients use nothing.
      .filter((name) => /\.tsx?$/.test(name) && !/(hcloud|terraform)\.ts$/.test(name))
      .map((name) => readFileSync(new URL(`../../console/${folder}/${name}`, import.meta.url), 'utf8')),
  )
  .join('\n')
  // A type of many operations uses none of them.
  .replaceAll(/\$\{string\}_/g, '')

/** The families with pages, but for servers, whose acts are their own. */
const ofTable = globSync('*/entry.ts', { cwd: new URL('../../console/families/', import.meta.url) })
  .map((path) => path.split('/')[0]!.replaceAll('-', '_'))
  .filter((family) => family !== 'servers')

/** Families whose pages are shared name operations by their end, as in `${family}_assign`. */
const shared = new Set(ofTable)

function isUsed(family: string, key: string): boolean {
  const id = `${family}_${key}`
  if (text.includes(`'${id}'`) || text.includes(`"${id}"`)) return true
  // Acts on one family share a call as well, as in `servers_${verb}`.
  if (text.includes(`\`${family}_\${`) && text.includes(`'${key}'`)) return true
  return shared.has(family) && text.includes(`}_${key}\``)
}

const operations = [...allEndpoints(), ...ownEndpoints()].filter(({ endpoint: { removedBy } }) => !removedBy)

/** The reason for which no page uses an operation, by its name in `notInConsole`. */
function reasonOf(family: string, key: string): string | undefined {
  return [`${family}_${key}`, `_${key}`].find((one) => one in notInConsole)
}

test('every operation is used by a page, or is not for a reason', () => {
  const reasons = new Set<string>()
  const unused = operations.filter(({ family, key }) => {
    if (isUsed(family, key)) return false
    const reason = reasonOf(family, key)
    if (reason) reasons.add(reason)
    return reason === undefined
  })
  assert.deepEqual(
    unused.map(({ family, key }) => `${family}_${key}`),
    [],
    'use these in a page, or say in notInConsole why not',
  )
  assert.deepEqual(
    Object.keys(notInConsole).filter((reason) => !reasons.has(reason)),
    [],
    'these are used by now, or are no operations',
  )
})

test('every operation that changes something is driven in a browser', () => {
  const driven = new Set(Object.values(readDriven()).flat())
  const missing = operations.filter(
    ({ family, key, endpoint: { method } }) =>
      method !== 'GET' && !driven.has(`${family}_${key}`) && reasonOf(family, key) === undefined,
  )
  assert.deepEqual(
    missing.map(({ family, key }) => `${family}_${key}`),
    [],
    'drive these by keyboard in a test of test/console, and write them into driven.json (CONTRIBUTING.md)',
  )
  for (const name of Object.keys(readDriven())) {
    const test = readFileSync(new URL(`../console/${name}`, import.meta.url), 'utf8')
    assert.match(test, /^drivesWhatIsSaid\(import\.meta\.filename\)$/m, `${name} does not hold what driven.json says`)
  }
})
