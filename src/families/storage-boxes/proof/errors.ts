/** A scenario for each error that the endpoints of Storage Boxes declare. */
import type { Answer, Client } from '../../../../test/kit/harness.ts'
import {
  conflict,
  done,
  type ErrorScenario,
  overLimit,
  type Proof,
  type Stage,
  takenName,
  takenTwice,
} from '../../../../test/kit/proof.ts'
import { builtIn } from '../../../catalogue/built-in.ts'
import { openCatalogue } from '../../../catalogue/catalogue.ts'
import { boxBody, makeBox, makeSnapshot, makeSubaccount, password, plan, prepare, subaccountBody } from './samples.ts'

type Send = (client: Client, path: string) => Promise<Answer>

/** Makes a box be busy with something. */
const keepBusy = ({ api }: Stage, id: number) =>
  done(api.post(`/storage_boxes/${id}/actions/update_access_settings`, { ssh_enabled: true }))

/** A request about a box that is still being made. */
const whileMade =
  (send: Send): ErrorScenario =>
  async ({ api }) => {
    const { storage_box } = await done(api.post('/storage_boxes', boxBody()))
    return send(api, `/storage_boxes/${storage_box.id}`)
  }

/** A request about a part of a box that is busy. */
const whileBusy =
  (list: string, make: (stage: Stage, box: number) => Promise<number>, send: Send): ErrorScenario =>
  async (stage) => {
    const box = await makeBox(stage)
    const part = await make(stage, box)
    await keepBusy(stage, box)
    return send(stage.api, `/storage_boxes/${box}/${list}/${part}`)
  }

const onSnapshot = (send: Send) => whileBusy('snapshots', makeSnapshot, send)
const onSubaccount = (send: Send) => whileBusy('subaccounts', makeSubaccount, send)

/** A catalogue in which boxes have one snapshot and one subaccount at most. */
const scarce = openCatalogue({
  ...builtIn,
  storage_box_types: builtIn.storage_box_types.map((type) => ({ ...type, snapshot_limit: 1, subaccounts_limit: 1 })),
})

/** A part more than a box may have. */
const oneTooMany =
  (list: string, body: object): ErrorScenario =>
  async ({ open }) => {
    const world = await open({ catalogue: scarce, runActions: false })
    const path = `/storage_boxes/${await makeBox(world)}/${list}`
    await done(world.api.post(path, body))
    await world.settle()
    return world.api.post(path, body)
  }

const acting = (name: string, body: object) => whileMade((client, path) => client.post(`${path}/actions/${name}`, body))

export const errors: NonNullable<Proof['errors']> = {
  'storage_boxes.create': {
    uniqueness_error: takenTwice('/storage_boxes', () => boxBody()),
    resource_limit_exceeded: overLimit('storage_boxes', '/storage_boxes', () => boxBody()),
  },
  'storage_boxes.update': {
    uniqueness_error: takenName('storage_boxes', prepare),
    conflict: conflict('storage_boxes', 'storage_box', prepare),
  },
  'storage_boxes.remove': {
    locked: whileMade((client, path) => client.delete(path)),
    async protected(stage) {
      const id = await makeBox(stage)
      await done(stage.api.post(`/storage_boxes/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/storage_boxes/${id}`)
    },
  },
  'storage_boxes.folders': { locked: whileMade((client, path) => client.get(`${path}/folders`)) },
  'storage_boxes.changeProtection': { locked: acting('change_protection', { delete: true }) },
  'storage_boxes.changeType': { locked: acting('change_type', { storage_box_type: 'bx21' }) },
  'storage_boxes.resetPassword': { locked: acting('reset_password', { password }) },
  'storage_boxes.updateAccessSettings': { locked: acting('update_access_settings', { ssh_enabled: true }) },
  'storage_boxes.enableSnapshotPlan': { locked: acting('enable_snapshot_plan', plan) },
  'storage_boxes.disableSnapshotPlan': {
    locked: whileMade((client, path) => client.post(`${path}/actions/disable_snapshot_plan`)),
  },
  'storage_boxes.createSnapshot': {
    locked: whileMade((client, path) => client.post(`${path}/snapshots`, {})),
    resource_limit_exceeded: oneTooMany('snapshots', {}),
  },
  'storage_boxes.removeSnapshot': { locked: onSnapshot((client, path) => client.delete(path)) },
  'storage_boxes.rollbackSnapshot': {
    async locked(stage) {
      const box = await makeBox(stage)
      const snapshot = await makeSnapshot(stage, box)
      await keepBusy(stage, box)
      return stage.api.post(`/storage_boxes/${box}/actions/rollback_snapshot`, { snapshot })
    },
  },
  'storage_boxes.createSubaccount': {
    locked: whileMade((client, path) => client.post(`${path}/subaccounts`, subaccountBody())),
    async uniqueness_error(stage) {
      const box = await makeBox(stage)
      await makeSubaccount(stage, box, { name: 'same' })
      return stage.api.post(`/storage_boxes/${box}/subaccounts`, subaccountBody({ name: 'same' }))
    },
    resource_limit_exceeded: oneTooMany('subaccounts', subaccountBody()),
  },
  'storage_boxes.updateSubaccount': {
    async uniqueness_error(stage) {
      const box = await makeBox(stage)
      await makeSubaccount(stage, box, { name: 'same' })
      const other = await makeSubaccount(stage, box, { name: 'other' })
      return stage.api.put(`/storage_boxes/${box}/subaccounts/${other}`, { name: 'same' })
    },
  },
  'storage_boxes.removeSubaccount': { locked: onSubaccount((client, path) => client.delete(path)) },
  'storage_boxes.changeHomeDirectory': {
    locked: onSubaccount((client, path) =>
      client.post(`${path}/actions/change_home_directory`, { home_directory: 'elsewhere' }),
    ),
  },
  'storage_boxes.resetSubaccountPassword': {
    locked: onSubaccount((client, path) => client.post(`${path}/actions/reset_subaccount_password`, { password })),
  },
  'storage_boxes.updateSubaccountAccess': {
    locked: onSubaccount((client, path) => client.post(`${path}/actions/update_access_settings`, { readonly: true })),
  },
}
