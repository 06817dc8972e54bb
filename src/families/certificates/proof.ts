import assert from 'node:assert/strict'
import { type CrashRow, named, namedState, removes, renames, showsNamed, when } from '../../../test/kit/crash.ts'
import type { Client, World } from '../../../test/kit/harness.ts'
import {
  act,
  anyLabels,
  anyName,
  anyRename,
  conflict,
  done,
  neverExisted,
  noBody,
  overLimit,
  type Proof,
  rename,
  type Samples,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import { assertNames } from '../../../test/kit/refusals.ts'
import { expect } from '../../../test/kit/resources.ts'
import { chain, type Party, party, rsaParty, selfSigned } from '../../../test/kit/samples/certificates.ts'
import { actionRows, type SpecRows } from '../../../test/walks/spec/rows.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { Challenge } from '../zones/effects.ts'
import { replaceUses } from './effects.ts'

const pair = selfSigned('www.example.com')
const uploaded = () => ({ name: unique('certificate'), ...pair })
const managed = (...domain_names: string[]) => ({ name: unique('certificate'), type: 'managed', domain_names })

/** Certificates are used by load balancers, which call the same effect. */
async function makeUsed({ api, db }: World): Promise<number> {
  const { id } = (await done(api.post('/certificates', uploaded()))).certificate
  const rows = acrossProjects(db.query).selectFrom('certificate').select('project_id').where('id', '=', id)
  const scope = { projectId: (await rows.executeTakeFirstOrThrow()).project_id }
  await db.transact((tx) => replaceUses(tx, scope, { type: 'load_balancer', id: neverExisted }, [id]))
  return id
}

/** A name that nothing else in this process has, and the zone for it. */
async function makeDomain({ api }: World): Promise<string> {
  const name = `${unique('managed')}.example`
  await done(api.post('/zones', { name, mode: 'primary' }))
  return name
}

/** One whose issuance has failed because there was no zone for it, which there is now. */
async function makeFailed(world: World): Promise<number> {
  const name = `${unique('managed')}.example`
  const { certificate } = await done(world.api.post('/certificates', managed(name)))
  await world.settle()
  await done(world.api.post('/zones', { name, mode: 'primary' }))
  return certificate.id
}

const prepare: Samples['prepare'] = async (world) => {
  const domain = await makeDomain(world)
  const { certificate, action } = await done(world.api.post('/certificates', managed(domain, `*.${domain}`)))
  return { id: certificate.id, actionId: action.id }
}

const errors: Proof['errors'] = {
  'certificates.create': {
    uniqueness_error: takenTwice('/certificates', uploaded),
    resource_limit_exceeded: overLimit('certificates', '/certificates', uploaded),
  },
  'certificates.update': {
    uniqueness_error: takenName('certificates', prepare),
    conflict: conflict('certificates', 'certificate', prepare),
  },
  'certificates.remove': {
    service_error: async (stage) => stage.api.delete(`/certificates/${await makeUsed(stage)}`),
  },
  'certificates.retry': {
    unsupported_error: async (stage) => stage.api.post(`/certificates/${(await prepare(stage)).id}/actions/retry`),
  },
}

const actions: Proof['actions'] = {
  async 'certificates/create_certificate'(world) {
    const domain = await makeDomain(world)
    const body = managed(domain, `*.${domain}`)
    return act(async (api) => {
      // One whose issuance failed goes first.
      for (const { id } of (await done(api.get(`/certificates?name=${body.name}`))).certificates) {
        await done(api.delete(`/certificates/${id}`))
      }
      return api.post('/certificates', body)
    })
  },
  async 'certificates/issue_certificate'(world) {
    const id = await makeFailed(world)
    return act((api) => api.post(`/certificates/${id}/actions/retry`))
  },
}

const consistency: Proof['consistency'] = {
  resources: 'certificate',
  failures: ['dns_zone_not_found'],
  belongs: [
    ['certificate_key', 'certificate_id', 'certificate'],
    ['certificate_use', 'certificate_id', 'certificate'],
    ['certificate_order', 'certificate_id', 'certificate'],
  ],
  /** Keys are where certificates are; orders and their challenges, where one is on its way. */
  async rows(found) {
    const [certificates, orders] = [await found.all('certificate'), await found.all('certificate_order')]
    const issued = certificates.filter(({ certificate }) => certificate !== null)
    const keys = await found.all('certificate_key')
    assert.equal(keys.length, issued.length, 'each certificate that was issued has its private key')
    for (const { certificate_id } of orders) {
      const { issuance, renewal } = certificates.find(({ id }) => id === certificate_id)!
      const isOpen = issuance === 'pending' || renewal === 'pending'
      assert.ok(isOpen, `the order of certificate ${certificate_id} is left over`)
    }
    const wanted = orders.flatMap(({ challenges }) => JSON.parse(challenges) as Challenge[])
    assert.deepEqual(
      (await found.all('zone_challenge')).map(({ zone_id, value }) => `${zone_id} ${value}`).sort(),
      wanted.map(({ zoneId, value }) => `${zoneId} ${value}`).sort(),
      'challenges are in DNS as long as their order is open',
    )
  },
}

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

/** Uploads a certificate under a name of its own. */
const upload = (api: Client, { certificate, private_key }: { certificate: string; private_key: string }) =>
  api.post('/certificates', { name: unique('certificate'), certificate, private_key })

const spec: SpecRows = {
  limits: [
    {
      limit: 'Certificate private key',
      async check(open) {
        const { api } = await open()
        const { certificate, private_key } = selfSigned('www.example.com')
        expect(await upload(api, { certificate, private_key: private_key.padEnd(5_000) }), 201)
        assertNames(await upload(api, { certificate, private_key: private_key.padEnd(5_001) }), 'private_key')
      },
    },
    {
      limit: 'Certificate chain',
      async check(open) {
        const { api } = await open()
        const [five, six] = [chain(5), chain(6)]
        expect(await upload(api, { ...five, certificate: five.certificate.padEnd(30_000) }), 201)
        assertNames(await upload(api, { ...five, certificate: five.certificate.padEnd(30_001) }), 'certificate')
        assertNames(await upload(api, six), 'certificate')
      },
    },
    {
      limit: 'Certificate key sizes',
      async check(open) {
        const { api } = await open()
        const give = (leaf: Party) => upload(api, chain(1, leaf))
        for (const bits of [2_048, 3_072, 4_096]) expect(await give(rsaParty('rsa.example.com', bits)), 201)
        for (const curve of ['P-256', 'P-384']) expect(await give(party('ec.example.com', curve)), 201)
        assertNames(await give(rsaParty('rsa.example.com', 2_047)), 'certificate')
        assertNames(await give(party('ec.example.com', 'P-521')), 'certificate')
      },
    },
  ],
  endpoints: [
    {
      section: 'Certificates',
      endpoint: 'GET /certificates',
      status: 200,
      query: ['name', 'label_selector', 'type', 'page', 'per_page'],
      effects: { type: { keeps: ['uploaded', 'managed'], bad: 'nonsense' } },
      sort: ['id', 'name', 'created'],
      reply: ['certificates', 'meta'],
      also: ['certificates.test.ts: lists filter by name, type and labels, and sort by id, name and creation'],
    },
    {
      section: 'Certificates',
      endpoint: 'POST /certificates',
      status: 201,
      required: ['name', 'certificate', 'private_key'],
      optional: ['labels', 'type', 'domain_names'],
      reply: ['certificate', 'action'],
      also: [
        'certificates.test.ts: an uploaded one comes back byte for byte, with what its leaf says and without its private key',
      ],
    },
    {
      section: 'Certificates',
      endpoint: 'GET /certificates/{id}',
      status: 200,
      reply: ['certificate'],
    },
    {
      section: 'Certificates',
      endpoint: 'PUT /certificates/{id}',
      status: 200,
      optional: ['labels', 'name'],
      reply: ['certificate'],
      also: ['certificates.test.ts: an update changes what it names'],
    },
    {
      section: 'Certificates',
      endpoint: 'DELETE /certificates/{id}',
      status: 204,
      reply: [],
      also: ['certificates.test.ts: it says what uses it, and stays until nothing does'],
    },
    {
      section: 'Certificates',
      endpoint: 'POST /certificates/{id}/actions/retry',
      status: 201,
      reply: ['action'],
    },
    ...actionRows('Certificates', 'certificates', 4),
  ],
  fields: [
    {
      resource: 'Certificate',
      at: 'certificates.get',
      key: 'certificate',
      fields: {
        id: 'integer',
        name: 'string',
        labels: 'object',
        created: 'timestamp',
        type: 'string',
        certificate: 'string or null',
        not_valid_before: 'timestamp or null',
        not_valid_after: 'timestamp or null',
        domain_names: 'array',
        fingerprint: 'string or null',
        status: 'object or null',
        used_by: 'array',
      },
    },
  ],
  codes: [
    {
      operation: 'POST /certificates/{id}/actions/retry',
      at: 'certificates.retry',
      codes: [],
      unused: {
        caa_record_does_not_allow_ca:
          'the retry is answered before it can fail; the action and the status carry the code',
        ca_dns_validation_failed: 'the retry is answered before it can fail; the action and the status carry the code',
        ca_too_many_authorizations_failed_recently:
          'the retry is answered before it can fail; the action and the status carry the code',
        ca_too_many_certificates_issued_for_registered_domain:
          'the retry is answered before it can fail; the action and the status carry the code',
        ca_too_many_duplicate_certificates:
          'the retry is answered before it can fail; the action and the status carry the code',
        could_not_verify_domain_delegated_to_zone:
          'the retry is answered before it can fail; the action and the status carry the code',
        dns_zone_not_found: 'the retry is answered before it can fail; the action and the status carry the code',
        dns_zone_is_secondary_zone:
          'the retry is answered before it can fail; the action and the status carry the code',
      },
    },
  ],
  sentences: [
    {
      section: 'What the service does',
      says: 'A managed certificate is issued and renewed for domains of our own DNS; the owner hears of problems by mail',
      tests: [
        'managed.test.ts: one is pending, then issued for what was asked, with a key that only who needs it gets',
        'managed.test.ts: each certificate is valid at every moment and renewed once in each period',
        'managed.test.ts: that fails leaves the certificate in use, tells the owner, and is tried again later and on request',
      ],
    },
    {
      section: 'States and transitions',
      says: 'A retry starts issue_certificate for a managed certificate that failed, and its codes say what is in the way',
      tests: [
        'managed.test.ts: what stands in the way is the error of the action and of the status; without it a retry issues',
        'managed.test.ts: CAA records decide who may issue, for wildcards by themselves, the nearest ones alone',
        'managed.test.ts: a zone that the DNS does not lead to us stands in the way',
      ],
    },
  ],
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const traffic: Proof['traffic'] = {
  kind: 'certificate',
  requests: {
    'POST /certificates': (draw) => ({ ...pair, name: anyName('c', draw), labels: anyLabels(draw) }),
    'PUT /certificates/{certificates}': anyRename('c'),
    'DELETE /certificates/{certificates}': noBody,
    'POST /certificates/{certificates}/actions/retry': noBody,
  },
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

/** Issuing fails for names of which there is no zone, and when the zone or the certificate is deleted meanwhile. */
const mayFail = ['dns_zone_not_found', 'action_failed']

const makesCertificate: CrashRow = (draw) => {
  const type = draw.oneOf(['uploaded', 'managed'])
  const domain = () =>
    draw.oneOf([`${draw.version}.example`, draw.any('zones', ({ mode }) => mode === 'primary').state.name])
  const given = type === 'uploaded' ? pair : { domain_names: [domain()] }
  return { body: { ...named(draw), type, ...given }, makes: { ...namedState(draw), type }, mayFail }
}

const crash: Proof['crash'] = {
  shows: { certificates: (certificate) => ({ ...showsNamed(certificate), type: certificate.type }) },
  writes: {
    'POST /certificates': makesCertificate,
    'PUT /certificates/{certificates}': renames,
    'DELETE /certificates/{certificates}': removes,
    'POST /certificates/{certificates}/actions/retry': when(
      ({ type }) => type === 'managed',
      () => ({ mayFail }),
    ),
  },
}

export const proof: Proof = {
  samples: {
    prepare,
    requests: {
      create: () => ({ body: uploaded() }),
      update: rename('certificate'),
      retry: async (world) => ({ target: { id: await makeFailed(world) } }),
    },
  },
  errors,
  actions,
  consistency,
  traffic,
  crash,
  spec,
}
