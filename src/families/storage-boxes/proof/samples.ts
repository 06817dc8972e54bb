/** Storage Boxes for tests, and a request for each of their endpoints. */
import type { World } from '../../../../test/kit/harness.ts'
import { done, rename, type Sample, type Samples, unique } from '../../../../test/kit/proof.ts'

export const password = 'Sturdy-Box-2026!'

export const plan = { max_snapshots: 2, minute: 30, hour: 3 }

export const boxBody = (options: object = {}) => ({
  name: unique('box'),
  storage_box_type: 'bx11',
  location: 'fsn1',
  password,
  ...options,
})

export const subaccountBody = (options: object = {}) => ({ home_directory: 'backups', password, ...options })

type Maker = Pick<World, 'api' | 'settle'>

/** Creates a box and returns its id, at rest. */
export async function makeBox({ api, settle }: Maker, options?: object): Promise<number> {
  const { storage_box } = await done(api.post('/storage_boxes', boxBody(options)))
  await settle()
  return storage_box.id
}

/** A box as the API shows it. */
export const boxOf = async ({ api }: Pick<World, 'api'>, id: number) =>
  (await done(api.get(`/storage_boxes/${id}`))).storage_box

/** Makes a snapshot of a box and returns its id, at rest. */
export async function makeSnapshot({ api, settle }: Maker, box: number, options: object = {}): Promise<number> {
  const { snapshot } = await done(api.post(`/storage_boxes/${box}/snapshots`, options))
  await settle()
  return snapshot.id
}

/** Gives a box a subaccount and returns its id, at rest. */
export async function makeSubaccount({ api, settle }: Maker, box: number, options?: object): Promise<number> {
  const { subaccount } = await done(api.post(`/storage_boxes/${box}/subaccounts`, subaccountBody(options)))
  await settle()
  return subaccount.id
}

export const prepare: Samples['prepare'] = async ({ api, settle }) => {
  const { storage_box, action } = await done(api.post('/storage_boxes', boxBody()))
  await settle()
  return { id: storage_box.id, actionId: action.id }
}

type Make = (world: World, target: { id: number }) => Promise<Sample>

const onSnapshot =
  (given: object = {}): Make =>
  async (world, { id }) => ({ target: { id, partId: await makeSnapshot(world, id) }, ...given })

const onSubaccount =
  (given: object = {}): Make =>
  async (world, { id }) => ({ target: { id, partId: await makeSubaccount(world, id) }, ...given })

export const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: boxBody() }),
    update: rename('box'),
    changeProtection: () => ({ body: { delete: true } }),
    changeType: () => ({ body: { storage_box_type: 'bx21' } }),
    resetPassword: () => ({ body: { password } }),
    updateAccessSettings: () => ({ body: { ssh_enabled: true } }),
    createSnapshot: () => ({ body: { description: 'before' } }),
    getSnapshot: onSnapshot(),
    updateSnapshot: onSnapshot({ body: { description: 'changed', labels: { changed: 'yes' } } }),
    removeSnapshot: onSnapshot(),
    rollbackSnapshot: async (world, { id }) => ({ body: { snapshot: await makeSnapshot(world, id) } }),
    enableSnapshotPlan: () => ({ body: plan }),
    createSubaccount: () => ({ body: subaccountBody() }),
    getSubaccount: onSubaccount(),
    updateSubaccount: onSubaccount({ body: { name: 'changed', labels: { changed: 'yes' } } }),
    removeSubaccount: onSubaccount(),
    changeHomeDirectory: onSubaccount({ body: { home_directory: 'elsewhere/deep' } }),
    resetSubaccountPassword: onSubaccount({ body: { password } }),
    updateSubaccountAccess: onSubaccount({ body: { readonly: true } }),
  },
}
