import assert from 'node:assert/strict'
import { keyOf, protects, removes, showsProtected } from '../../../test/kit/crash.ts'
import type { World } from '../../../test/kit/harness.ts'
import {
  act,
  anyLabels,
  anyName,
  anyProtection,
  conflict,
  type Draw,
  done,
  neverExisted,
  noBody,
  type Proof,
  type Samples,
  type Stage,
  type Target,
  unique,
} from '../../../test/kit/proof.ts'
import { actionRows, type SpecRows } from '../../../test/walks/spec/rows.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { makeServer, serverBody } from '../servers/proof.ts'

/** A copy of the disk of a new server, at rest. */
async function makeImage(world: World, type: 'snapshot' | 'backup' = 'snapshot'): Promise<Target> {
  const server = await makeServer(world)
  if (type === 'backup') await done(world.api.post(`/servers/${server}/actions/enable_backup`))
  return copy(world, server, type)
}

async function copy({ api, settle }: World, server: number, type = 'snapshot'): Promise<Target> {
  const { image, action } = await done(api.post(`/servers/${server}/actions/create_image`, { type }))
  await settle()
  return { id: image.id, actionId: action.id }
}

const prepare: Samples['prepare'] = (world) => makeImage(world)

/** One of the catalogue. */
const systemImage = 161547269
const protect = (stage: Stage, id: number) =>
  stage.api.post(`/images/${id}/actions/change_protection`, { delete: true })

const errors: Proof['errors'] = {
  'images.update': {
    unsupported_error: (stage) => stage.api.put(`/images/${systemImage}`, { description: 'changed' }),
    conflict: conflict('images', 'image', prepare, () => ({ description: 'mine' })),
  },
  'images.remove': {
    unsupported_error: (stage) => stage.api.delete(`/images/${systemImage}`),
    async locked(stage) {
      const server = await makeServer(stage)
      const { image } = await done(stage.api.post(`/servers/${server}/actions/create_image`, {}))
      return stage.api.delete(`/images/${image.id}`)
    },
    async protected(stage) {
      const { id } = await makeImage(stage)
      await done(protect(stage, id))
      return stage.api.delete(`/images/${id}`)
    },
  },
  'images.changeProtection': {
    unsupported_error: async (stage) => protect(stage, (await makeImage(stage, 'backup')).id),
  },
  'servers.createImage': {
    async resource_limit_exceeded({ open }) {
      const world = await open({ limits: { images: 0 }, runActions: false })
      return world.api.post(`/servers/${await makeServer(world)}/actions/create_image`, {})
    },
  },
}

const actions: Proof['actions'] = {
  async 'images/change_protection'(world) {
    const { id } = await makeImage(world)
    return act((api) => api.post(`/images/${id}/actions/change_protection`, { delete: true }))
  },
  async 'images/delete_image'(world) {
    const server = await makeServer(world)
    let next: number | undefined = (await copy(world, server)).id
    return {
      async act(api) {
        // One whose data could not be removed is deleted all the same: the next time takes another one.
        const id = next ?? (await copy(world, server)).id
        next = undefined
        await done(api.delete(`/images/${id}`))
        const removals = acrossProjects(world.db.query)
          .selectFrom('action')
          .select(['id', 'input'])
          .where('definition', '=', 'images/delete_image')
        const rows = (await removals.execute()).filter(({ input }) => JSON.parse(input).image === id)
        return rows.map((row) => ({ id: row.id, subjects: [server] }))
      },
    }
  },
}

const consistency: Proof['consistency'] = {
  resources: 'image',
  belongs: [['image', 'bound_to', 'server']],
  async rows(found) {
    for (const { id, status, type, bound_to, created_from_id: serverId } of await found.all('image')) {
      assert.equal(status, 'available', `image ${id} rests`)
      assert.equal(bound_to, type === 'backup' ? serverId : null, `image ${id} is bound as its type says`)
    }
  },
  /** I10: each copy has its image, each image its copy. */
  async world(found, { simulation: { world } }) {
    const images = await found.all('image')
    for (const { id, image_size_mb: sizeMb, created_from_id: serverId } of images) {
      assert.deepEqual(world.images.get(id), { serverId, sizeMb }, `image ${id} has its copy`)
    }
    const known = new Set<number>([...images, ...(await found.all('image_removal'))].map(({ id }) => id))
    for (const id of world.images.keys()) assert.ok(known.has(id), `I10: copy ${id} is of no image`)
  },
}

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

const spec: SpecRows = {
  endpoints: [
    {
      section: 'Images',
      endpoint: 'GET /images',
      status: 200,
      query: [
        'type',
        'status',
        'bound_to',
        'include_deprecated',
        'name',
        'label_selector',
        'architecture',
        'page',
        'per_page',
      ],
      effects: {
        bound_to: { empty: String(neverExisted), bad: 'x' },
        include_deprecated: { bad: 'perhaps' },
        type: { keeps: ['system', 'app', 'snapshot', 'backup'], bad: 'nonsense' },
        status: { keeps: ['available', 'creating'], bad: 'x' },
        architecture: { keeps: ['x86', 'arm'], bad: 'nonsense' },
      },
      sort: ['id', 'name', 'created'],
      reply: ['images', 'meta'],
      also: [
        'own-images.test.ts: every filter narrows both kinds',
        'images.test.ts: types, architectures and states narrow the list; repeated values widen it',
        'images.test.ts: deprecated images are listed on demand, until nobody can order them',
      ],
    },
    {
      section: 'Images',
      endpoint: 'GET /images/{id}',
      status: 200,
      reply: ['image'],
    },
    {
      section: 'Images',
      endpoint: 'PUT /images/{id}',
      status: 200,
      optional: ['description', 'labels'],
      reply: ['image'],
      also: [
        'own-images.test.ts: description and labels of snapshots and backups can be changed, nothing of the installation',
        'backups.test.ts: backups go with their server; snapshots and what was converted stay',
      ],
    },
    {
      section: 'Images',
      endpoint: 'DELETE /images/{id}',
      status: 204,
      reply: [],
    },
    ...actionRows('Images', 'images', 0, ['own-images.test.ts: the actions of images are listed']),
  ],
  fields: [
    {
      resource: 'Image',
      at: 'images.get',
      key: 'image',
      fields: {
        id: 'integer',
        name: 'string or null',
        labels: 'object',
        created: 'timestamp',
        type: 'string',
        status: 'string',
        description: 'string',
        created_from: 'object or null',
        bound_to: 'integer or null',
        deleted: 'timestamp or null',
        deprecation: 'object or null',
        disk_size: 'number',
        image_size: 'number or null',
        os_flavor: 'string',
        os_version: 'string or null',
        protection: 'object',
        rapid_deploy: 'boolean',
        architecture: 'string',
      },
      removed: ['deprecated'],
    },
  ],
  sentences: [
    {
      section: 'Image',
      says: 'A backup belongs to one server, is made daily and goes with it; seven are kept; it can become a snapshot',
      tests: [
        'backups.test.ts: the clock makes one backup a day in the window of each server that wants one',
        'backups.test.ts: an eighth backup drops the oldest, once it is complete',
        'backups.test.ts: backups go with their server; snapshots and what was converted stay',
      ],
    },
    {
      section: 'Image',
      says: 'Name and architecture identify an image, and the type of a server chooses between them',
      tests: [
        'images.test.ts: a name stands for one image of each architecture',
        'creation.test.ts: an image named by name has the architecture of the type; one named by id must have it',
      ],
    },
    {
      section: 'Image',
      says: 'deprecation says when an image goes; deprecated is gone since 2 November 2026',
      tests: ['images.test.ts: the field deprecated is there until 2 November 2026'],
    },
    {
      section: 'States and transitions',
      says: 'An image is creating until its action succeeds',
      tests: ['backups.test.ts: a snapshot is creating until its action succeeds, and then has its size'],
    },
    {
      section: 'Images',
      says: 'Only snapshots and backups are updated and deleted',
      tests: [
        'own-images.test.ts: description and labels of snapshots and backups can be changed, nothing of the installation',
        'declared-errors.test.ts: is reached with its status, and leaves no trace',
      ],
    },
  ],
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const anyCopy = async ({ any }: Draw) => ({ image: (await any('images')).id })

const traffic: Proof['traffic'] = {
  kind: 'image',
  query: 'type=snapshot&type=backup',
  requests: {
    'POST /servers/{servers}/actions/create_image': (draw) => ({
      type: draw.oneOf(['snapshot', 'backup']),
      labels: anyLabels(draw),
    }),
    'PUT /images/{images}': (draw) =>
      draw.oneOf([{ type: 'snapshot' }, { description: anyName('d', draw), labels: anyLabels(draw) }]),
    'DELETE /images/{images}': noBody,
    'POST /images/{images}/actions/change_protection': anyProtection,
  },
  adds: { 'POST /servers': anyCopy, 'POST /servers/{servers}/actions/rebuild': anyCopy },
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const crash: Proof['crash'] = {
  shows: {
    images(image) {
      // Backups are made every day, too.
      if (image.bound_to !== null && image.labels.version === undefined) return undefined
      return {
        description: image.description,
        label: image.labels.version ?? '',
        status: image.status,
        with: keyOf('servers', image.bound_to),
        ...showsProtected(image),
      }
    },
  },
  writes: {
    'POST /servers/{servers}/actions/create_image': ({ version, oneOf }, { key, state }) => {
      const type = state.backup === 'yes' ? oneOf(['snapshot', 'backup']) : 'snapshot'
      const shown = { description: version, label: version, status: 'available', protected: 'no' }
      return {
        body: { type, description: version, labels: { version } },
        makes: { ...shown, with: type === 'backup' ? key : '' },
        later: ['status'],
      }
    },
    'PUT /images/{images}': ({ version }) => ({
      body: { description: version, labels: { version } },
      to: { description: version, label: version },
    }),
    'DELETE /images/{images}': removes,
    'POST /images/{images}/actions/change_protection': protects,
  },
}

export const proof: Proof = {
  samples: {
    prepare,
    requests: {
      update: () => ({ body: { description: 'changed', labels: { changed: 'yes' } } }),
      changeProtection: () => ({ body: { delete: true } }),
    },
  },
  references: {
    'servers.create image': { family: 'images', body: (id) => serverBody(unique('server'), { image: id }) },
    'servers.rebuild image': { family: 'images', body: (id) => ({ image: id }) },
  },
  errors,
  actions,
  consistency,
  traffic,
  crash,
  spec,
}
