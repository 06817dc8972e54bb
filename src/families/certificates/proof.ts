import assert from 'node:assert/strict'
import { selfSigned } from '../../../test/certificates.ts'
import type { World } from '../../../test/harness.ts'
import {
  act,
  conflict,
  done,
  neverExisted,
  overLimit,
  type Proof,
  rename,
  type Samples,
  takenName,
  takenTwice,
  unique,
} from '../../../test/proof.ts'
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
}
