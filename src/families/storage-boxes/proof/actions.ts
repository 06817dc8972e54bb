/** A scenario for each action of Storage Boxes. */
import { type ActionScenario, act, type Proof } from '../../../../test/kit/proof.ts'
import { boxBody, makeBox, makeSnapshot, makeSubaccount, password, plan, subaccountBody } from './samples.ts'

const onBox =
  (name: string, body?: object): ActionScenario =>
  async (world) => {
    const id = await makeBox(world)
    return act((api) => api.post(`/storage_boxes/${id}/actions/${name}`, body))
  }

const onSubaccount =
  (name: string, body: object): ActionScenario =>
  async (world) => {
    const box = await makeBox(world)
    const id = await makeSubaccount(world, box)
    return act((api) => api.post(`/storage_boxes/${box}/subaccounts/${id}/actions/${name}`, body))
  }

export const actions: NonNullable<Proof['actions']> = {
  'storage_boxes/create': async () => act((api) => api.post('/storage_boxes', boxBody())),
  async 'storage_boxes/delete'(world) {
    const id = await makeBox(world)
    await makeSnapshot(world, id)
    await makeSubaccount(world, id)
    return act((api) => api.delete(`/storage_boxes/${id}`))
  },
  'storage_boxes/change_type': onBox('change_type', { storage_box_type: 'bx21' }),
  'storage_boxes/reset_password': onBox('reset_password', { password }),
  'storage_boxes/update_access_settings': onBox('update_access_settings', { ssh_enabled: true, zfs_enabled: true }),
  'storage_boxes/update_access_settings of a subaccount': onSubaccount('update_access_settings', { readonly: true }),
  'storage_boxes/change_protection': onBox('change_protection', { delete: true }),
  'storage_boxes/enable_snapshot_plan': onBox('enable_snapshot_plan', plan),
  'storage_boxes/disable_snapshot_plan': onBox('disable_snapshot_plan'),
  async 'storage_boxes/create_snapshot'(world) {
    const id = await makeBox(world)
    return act((api) => api.post(`/storage_boxes/${id}/snapshots`, {}))
  },
  async 'storage_boxes/delete_snapshot'(world) {
    const box = await makeBox(world)
    const id = await makeSnapshot(world, box)
    return act((api) => api.delete(`/storage_boxes/${box}/snapshots/${id}`))
  },
  async 'storage_boxes/rollback_snapshot'(world) {
    const box = await makeBox(world)
    const snapshot = await makeSnapshot(world, box)
    await makeSnapshot(world, box)
    return act((api) => api.post(`/storage_boxes/${box}/actions/rollback_snapshot`, { snapshot }))
  },
  async 'storage_boxes/create_subaccount'(world) {
    const id = await makeBox(world)
    return act((api) => api.post(`/storage_boxes/${id}/subaccounts`, subaccountBody()))
  },
  async 'storage_boxes/delete_subaccount'(world) {
    const box = await makeBox(world)
    const id = await makeSubaccount(world, box)
    return act((api) => api.delete(`/storage_boxes/${box}/subaccounts/${id}`))
  },
  'storage_boxes/change_home_directory': onSubaccount('change_home_directory', { home_directory: 'elsewhere' }),
  'storage_boxes/reset_subaccount_password': onSubaccount('reset_subaccount_password', { password }),
}
