import assert from 'node:assert/strict'
import {
  type CrashRow,
  type Held,
  protects,
  removes,
  type State,
  showsProtected,
  when,
  yesOrNo,
} from '../../../test/kit/crash.ts'
import type { Answer, Client, World } from '../../../test/kit/harness.ts'
import {
  type ActionScenario,
  act,
  anyLabels,
  anyName,
  anyProtection,
  type Draw,
  done,
  type ErrorScenario,
  noBody,
  overLimit,
  type Proof,
  type RandomBody,
  type Samples,
  type Target,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import { expect } from '../../../test/kit/resources.ts'
import { sizeOf } from './limits.ts'
import { rrsetFromRow } from './rrsets/store.ts'

const address = (last: number) => ({ value: `192.0.2.${last}` })
const body = () => ({ name: `${unique('zone')}.example`, mode: 'primary' })

async function makeZone({ api }: World, options: object = {}): Promise<Target> {
  const rrsets = [{ name: 'www', type: 'A', records: [address(1)] }]
  const { zone, action } = await done(api.post('/zones', { ...body(), rrsets, ...options }))
  return { id: zone.id, actionId: action.id }
}

const primaries = { primary_nameservers: [{ address: '203.0.113.1' }] }
const makeSecondary = (world: World) => makeZone(world, { mode: 'secondary', rrsets: null, ...primaries })

/** A zone file that a zone of the tests accepts. */
const zonefile = ['@ SOA ns1 hostmaster 1 2 3 4 5', ...[1, 2, 3].map((n) => `@ NS ns${n}.wolke.example.`)].join('\n')

const samples: Samples = {
  prepare: makeZone,
  requests: {
    // A name is there once for all Projects, so that each caller needs its own.
    create: () => ({
      get body() {
        return body()
      },
    }),
    update: () => ({ body: { labels: { changed: 'yes' } } }),
    importZonefile: () => ({ body: { zonefile } }),
    changeTtl: () => ({ body: { ttl: 600 } }),
    changePrimaryNameservers: async (world) => ({ target: await makeSecondary(world), body: primaries }),
    changeProtection: () => ({ body: { delete: true } }),
    createRrset: () => ({ body: { name: 'new', type: 'A', records: [address(2)] } }),
    updateRrset: () => ({ body: { labels: { changed: 'yes' } } }),
    addRecords: () => ({ body: { records: [address(2)] } }),
    removeRecords: () => ({ body: { records: [address(1)] } }),
    setRecords: () => ({ body: { records: [address(3)] } }),
    updateRecords: () => ({ body: { records: [{ ...address(1), comment: 'changed' }] } }),
    changeRrsetTtl: () => ({ body: { ttl: 600 } }),
    changeRrsetProtection: () => ({ body: { change: true } }),
  },
}

// ---- Errors --------------------------------------------------------------------------------------------------------

type Send = (client: Client, path: string) => Promise<Answer>

/** Sends a request about a zone. */
function inZone(make: (world: World) => Promise<Target>, send: Send): ErrorScenario {
  return async (stage) => send(stage.api, `/zones/${(await make(stage)).id}`)
}

/** What RRSets of secondary zones, and protected ones, refuse. */
function rrsetErrors(send: Send) {
  return {
    incorrect_zone_mode: inZone(makeSecondary, (client, path) => send(client, `${path}/rrsets/www/A`)),
    async protected(stage) {
      const path = `/zones/${(await makeZone(stage)).id}/rrsets/www/A`
      await done(stage.api.post(`${path}/actions/change_protection`, { change: true }))
      return send(stage.api, path)
    },
  } satisfies Record<string, ErrorScenario>
}

const rrsetAction = (name: string, given: object) =>
  rrsetErrors((client, path) => client.post(`${path}/actions/${name}`, given))
const newRrset: Send = (client, path) =>
  client.post(`${path}/rrsets`, { name: 'www', type: 'A', records: [address(1)] })
const importZonefile: Send = (client, path) => client.post(`${path}/actions/import_zonefile`, { zonefile })

const errors: Proof['errors'] = {
  'zones.create': {
    uniqueness_error: takenTwice('/zones', body),
    resource_limit_exceeded: overLimit('zones', '/zones', body),
  },
  'zones.remove': {
    async protected(stage) {
      const { id } = await makeZone(stage)
      await done(stage.api.post(`/zones/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/zones/${id}`)
    },
  },
  'zones.exportZonefile': {
    incorrect_zone_mode: inZone(makeSecondary, (client, path) => client.get(`${path}/zonefile`)),
  },
  'zones.importZonefile': {
    incorrect_zone_mode: inZone(makeSecondary, importZonefile),
    async protected(stage) {
      const path = `/zones/${(await makeZone(stage)).id}`
      await done(stage.api.post(`${path}/rrsets/www/A/actions/change_protection`, { change: true }))
      return importZonefile(stage.api, path)
    },
  },
  'zones.changePrimaryNameservers': {
    incorrect_zone_mode: inZone(makeZone, (client, path) =>
      client.post(`${path}/actions/change_primary_nameservers`, primaries),
    ),
  },
  'zones.listRrsets': { incorrect_zone_mode: inZone(makeSecondary, (client, path) => client.get(`${path}/rrsets`)) },
  'zones.createRrset': {
    incorrect_zone_mode: inZone(makeSecondary, newRrset),
    uniqueness_error: inZone(makeZone, newRrset),
  },
  'zones.getRrset': { incorrect_zone_mode: rrsetErrors((client, path) => client.get(path)).incorrect_zone_mode },
  'zones.updateRrset': {
    incorrect_zone_mode: rrsetErrors((client, path) => client.put(path, {})).incorrect_zone_mode,
  },
  'zones.removeRrset': {
    ...rrsetErrors((client, path) => client.delete(path)),
    invalid_input: inZone(makeZone, (client, path) => client.delete(`${path}/rrsets/@/SOA`)),
  },
  'zones.addRecords': rrsetAction('add_records', { records: [address(2)] }),
  'zones.removeRecords': rrsetAction('remove_records', { records: [address(1)] }),
  'zones.setRecords': rrsetAction('set_records', { records: [address(2)] }),
  'zones.updateRecords': rrsetAction('update_records', { records: [{ ...address(1), comment: '' }] }),
  'zones.changeRrsetTtl': rrsetAction('change_ttl', { ttl: 600 }),
  'zones.changeRrsetProtection': {
    incorrect_zone_mode: rrsetAction('change_protection', { change: true }).incorrect_zone_mode,
  },
}

// ---- Actions -------------------------------------------------------------------------------------------------------

/** What happens to zones is done at once; each action needs no more than a zone. */
function scenario(send: Send, make: (world: World) => Promise<Target> = makeZone): ActionScenario {
  return async (world) => {
    const { id } = await make(world)
    return act((api) => send(api, `/zones/${id}`))
  }
}

const zoneAction = (name: string, given: object, make = makeZone as typeof makeSecondary) =>
  scenario((api, path) => api.post(`${path}/actions/${name}`, given), make)
const recordAction = (name: string, given: object) =>
  scenario((api, path) => api.post(`${path}/rrsets/www/A/actions/${name}`, given))

const actions: Proof['actions'] = {
  'zones/create_zone': scenario((api) => api.post('/zones', body())),
  'zones/delete_zone': scenario((api, path) => api.delete(path)),
  'zones/change_ttl': zoneAction('change_ttl', { ttl: 600 }),
  'zones/change_protection': zoneAction('change_protection', { delete: true }),
  'zones/change_primary_nameservers': zoneAction('change_primary_nameservers', primaries, makeSecondary),
  'zones/import_zonefile': scenario(importZonefile),
  'zones/create_rrset': scenario((api, path) =>
    api.post(`${path}/rrsets`, { name: 'new', type: 'A', records: [address(1)] }),
  ),
  'zones/delete_rrset': scenario((api, path) => api.delete(`${path}/rrsets/www/A`)),
  'zones/add_rrset_records': recordAction('add_records', { records: [address(2)] }),
  'zones/remove_rrset_records': recordAction('remove_records', { records: [address(1)] }),
  'zones/set_rrset_records': recordAction('set_records', { records: [address(2)] }),
  'zones/update_rrset_records': recordAction('update_records', { records: [{ ...address(1), comment: 'changed' }] }),
  'zones/change_rrset_ttl': recordAction('change_ttl', { ttl: 600 }),
  'zones/change_rrset_protection': recordAction('change_protection', { change: true }),
}

// ---- What must add up ----------------------------------------------------------------------------------------------

const consistency: Proof['consistency'] = {
  resources: 'zone',
  /** I5 and I10: each zone counts what it has, and no RRSet is without one but those that are to be deleted. */
  async rows(found) {
    const [zones, contents] = [await found.all('zone'), await found.all('zone_content')]
    const current = contents.filter(({ expires }) => expires === null)
    const pairs = (some: readonly (readonly [number, number])[]) => some.map(String).sort()
    assert.deepEqual(
      pairs(current.map(({ zone_id, id }) => [zone_id, id])),
      pairs(zones.map(({ id, content_id }) => [id, content_id])),
      'I10: what does not expire is what is in a zone',
    )
    const known = new Set(contents.map(({ id }) => id))
    const sizes = new Map(current.map(({ id }) => [id, { records: 0, textBytes: 0 }]))
    for (const row of await found.all('rrset')) {
      assert.ok(known.has(row.content_id), 'I10: an RRSet has a content')
      const size = sizes.get(row.content_id)
      if (!size) continue
      const { records, textBytes } = sizeOf([rrsetFromRow(row)])
      size.records += records
      size.textBytes += textBytes
    }
    for (const { name, content_id, record_count, text_bytes } of zones) {
      assert.deepEqual({ records: record_count, textBytes: text_bytes }, sizes.get(content_id), `I5: size of ${name}`)
    }
  },
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const anyRecords = ({ number }: Draw) => ({ records: [address(number(3))] })
const anyTtl: RandomBody = ({ number }) => ({ ttl: 60 + number(3) })
const rrset = '/zones/{zones}/rrsets/www/A'

const traffic: Proof['traffic'] = {
  kind: 'zone',
  requests: {
    'POST /zones': (draw) => ({ name: `${anyName('z', draw)}.example`, mode: 'primary', labels: anyLabels(draw) }),
    'PUT /zones/{zones}': (draw) => ({ labels: anyLabels(draw) }),
    'DELETE /zones/{zones}': noBody,
    'POST /zones/{zones}/actions/change_ttl': anyTtl,
    'POST /zones/{zones}/actions/change_protection': anyProtection,
    'POST /zones/{zones}/actions/change_primary_nameservers': () => primaries,
    'POST /zones/{zones}/actions/import_zonefile': () => ({ zonefile }),
    'POST /zones/{zones}/rrsets': (draw) => ({ name: 'www', type: 'A', ...anyRecords(draw) }),
    [`PUT ${rrset}`]: (draw) => ({ labels: anyLabels(draw) }),
    [`DELETE ${rrset}`]: noBody,
    [`POST ${rrset}/actions/add_records`]: anyRecords,
    [`POST ${rrset}/actions/remove_records`]: anyRecords,
    [`POST ${rrset}/actions/set_records`]: anyRecords,
    [`POST ${rrset}/actions/update_records`]: ({ number }) => ({
      records: [{ ...address(number(3)), comment: 'changed' }],
    }),
    [`POST ${rrset}/actions/change_ttl`]: anyTtl,
    [`POST ${rrset}/actions/change_protection`]: ({ number }) => ({ change: number(2) === 0 }),
  },
  release: (api, { id }) => api.post(`/zones/${id}/rrsets/www/A/actions/change_protection`, { change: false }),
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const isPrimary = ({ mode }: State) => mode === 'primary'
const hasMore = ({ more }: State) => more !== ''
const anyAddress = (number: number) => `198.51.100.${number % 256}`

/** A zone with two RRSets, or one that another name server is to fill. */
const makesZone: CrashRow = ({ version, number, oneOf }) => {
  const name = `${version}.example`
  const shown = { name, label: version, protected: 'no' }
  const ip = anyAddress(number)
  if (oneOf([false, false, true])) {
    return {
      body: { name, mode: 'secondary', labels: { version }, primary_nameservers: [{ address: ip }] },
      makes: { ...shown, mode: 'secondary', primaries: ip },
    }
  }
  const rrset = { name: 'www', type: 'A', records: [{ value: ip }] }
  return {
    body: { name, mode: 'primary', ttl: 3_600, labels: { version }, rrsets: [rrset] },
    makes: { ...shown, mode: 'primary', ttl: '3600', address: ip, comment: '', guarded: 'no', more: '' },
  }
}

/** Sets what the zone shows of its RRSet www. */
const onWww = (row: (number: number, held: Held) => ReturnType<CrashRow>) =>
  when(
    (state) => isPrimary(state) && state.guarded === 'no',
    ({ number }, held) => row(number, held),
  )

const crash: Proof['crash'] = {
  shows: {
    async zones(zone, api) {
      const { id, name, mode, labels, ttl } = zone
      const own = { name, label: labels.version ?? '', mode, ...showsProtected(zone) }
      if (mode === 'secondary') return { ...own, primaries: zone.primary_nameservers[0].address }
      const { rrsets } = await done(api.get(`/zones/${id}/rrsets?type=A`))
      const find = (wanted: string) => rrsets.find((one: { name: string }) => one.name === wanted)
      const [www, more] = [find('www'), find('more')]
      return {
        ...own,
        ttl: `${ttl}`,
        address: www.records.map((one: { value: string }) => one.value).join(' '),
        comment: www.records[0].comment ?? '',
        rrlabel: www.labels.version ?? '',
        rrttl: `${www.ttl ?? ''}`,
        guarded: yesOrNo(www.protection.change),
        more: more ? more.records.map((one: { value: string }) => one.value).join(' ') : '',
      }
    },
  },
  writes: {
    'POST /zones': makesZone,
    'PUT /zones/{zones}': ({ version }) => ({ body: { labels: { version } }, to: { label: version } }),
    'DELETE /zones/{zones}': when(({ guarded }) => guarded !== 'yes', removes),
    'POST /zones/{zones}/actions/change_ttl': when(isPrimary, ({ number }) => ({
      body: { ttl: 60 + number },
      to: { ttl: `${60 + number}` },
    })),
    'POST /zones/{zones}/actions/change_primary_nameservers': when(
      ({ mode }) => mode === 'secondary',
      ({ number }) => ({
        body: { primary_nameservers: [{ address: anyAddress(number) }] },
        to: { primaries: anyAddress(number) },
      }),
    ),
    'POST /zones/{zones}/actions/change_protection': protects,
    'POST /zones/{zones}/actions/import_zonefile': onWww((number) => ({
      body: { zonefile: `${zonefile}\nwww A ${anyAddress(number)}` },
      to: { address: anyAddress(number), comment: '', rrlabel: '', rrttl: '', more: '' },
    })),
    'POST /zones/{zones}/rrsets': when(
      (state) => isPrimary(state) && !hasMore(state),
      ({ number }) => ({
        body: { name: 'more', type: 'A', records: [{ value: anyAddress(number) }] },
        to: { more: anyAddress(number) },
      }),
    ),
    'PUT /zones/{zones}/rrsets/www/A': when(isPrimary, ({ version }) => ({
      body: { labels: { version } },
      to: { rrlabel: version },
    })),
    'DELETE /zones/{zones}/rrsets/more/A': when(hasMore, () => ({ to: { more: '' } })),
    'POST /zones/{zones}/rrsets/more/A/actions/add_records': when(
      ({ more }) => Boolean(more) && !more!.includes(' '),
      (_, { state }) => ({
        body: { records: [{ value: '203.0.113.77' }] },
        to: { more: `${state.more} 203.0.113.77` },
      }),
    ),
    'POST /zones/{zones}/rrsets/more/A/actions/remove_records': when(
      ({ more }) => Boolean(more?.includes(' ')),
      (_, { state }) => ({
        body: { records: [{ value: '203.0.113.77' }] },
        to: { more: state.more!.split(' ')[0]! },
      }),
    ),
    'POST /zones/{zones}/rrsets/www/A/actions/set_records': onWww((number) => ({
      body: { records: [{ value: anyAddress(number) }] },
      to: { address: anyAddress(number), comment: '' },
    })),
    'POST /zones/{zones}/rrsets/www/A/actions/update_records': onWww((number, { state }) => ({
      body: { records: [{ value: state.address, comment: `c${number}` }] },
      to: { comment: `c${number}` },
    })),
    'POST /zones/{zones}/rrsets/www/A/actions/change_ttl': onWww((number) => ({
      body: { ttl: 60 + number },
      to: { rrttl: `${60 + number}` },
    })),
    'POST /zones/{zones}/rrsets/www/A/actions/change_protection': when(isPrimary, (_, { state }) => {
      const isOn = state.guarded === 'no'
      return { body: { change: isOn }, to: { guarded: yesOrNo(isOn) } }
    }),
  },
}

export const proof: Proof = { samples, errors, actions, consistency, traffic, crash }

// ---- The zone example.com in tests of the family -------------------------------------------------------------------

export const nameservers = ['ns1.wolke.example.', 'ns2.wolke.example.', 'ns3.wolke.example.']
export const a = (...last: number[]) => last.map((octet) => ({ value: `192.0.2.${octet}` }))
export const soaLine = '@ IN SOA ns1.wolke.example. hostmaster.wolke.example. 0 86400 10800 3600000 3600'
export const nsLines = nameservers.map((name) => `@ IN NS ${name}`).join('\n')

export async function exampleZone({ api }: Pick<World, 'api'>, more: object = {}) {
  return expect(await api.post('/zones', { name: 'example.com', mode: 'primary', ...more }), 201).body.zone
}

export async function serialOf({ api }: World, zone = 'example.com'): Promise<number> {
  const { rrset } = (await api.get(`/zones/${zone}/rrsets/@/SOA`)).body
  return Number(rrset.records[0].value.split(' ')[2])
}

/** The RRSets of a zone by id, without the ones that every zone has. */
export async function rrsetsOf({ api }: Pick<World, 'api'>, zone = 'example.com') {
  const { rrsets } = expect(await api.get(`/zones/${zone}/rrsets?per_page=100`), 200).body
  return Object.fromEntries(
    rrsets
      .filter(({ type }: { type: string }) => type !== 'SOA' && type !== 'NS')
      .map((rrset: { id: string; records: { value: string }[] }) => [
        rrset.id,
        rrset.records.map(({ value }) => value),
      ]),
  )
}

export const records = (path: string) => `/zones/example.com/rrsets/${path}`
