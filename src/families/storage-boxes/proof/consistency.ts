/** These must add up about Storage Boxes. */
import assert from 'node:assert/strict'
import type { Proof } from '../../../../test/kit/proof.ts'

export const consistency: NonNullable<Proof['consistency']> = {
  resources: 'storage_box',
  failures: ['no_room'],
  belongs: [
    ['storage_box_snapshot', 'storage_box_id', 'storage_box'],
    ['storage_box_subaccount', 'storage_box_id', 'storage_box'],
    ['storage_box_usage', 'storage_box_id', 'storage_box'],
  ],
  async rows(found) {
    const all = await found.all('storage_box')
    for (const box of all) {
      assert.equal(box.status, 'active', `Storage Box ${box.id} rests`)
      assert.deepEqual([box.is_leaving, box.former_password_hash], [0, null], `Storage Box ${box.id} rests`)
      assert.equal(box.size, box.size_data + box.size_snapshots, `the sizes of Storage Box ${box.id}`)
      assert.equal(box.plan === null, box.plan_next === null, `the plan of Storage Box ${box.id}`)
    }
    const made = new Map(all.map(({ id, subaccounts_made }) => [id, subaccounts_made]))
    for (const { id, storage_box_id, number, is_leaving, former_password_hash } of await found.all(
      'storage_box_subaccount',
    )) {
      assert.deepEqual([is_leaving, former_password_hash], [0, null], `subaccount ${id} rests`)
      assert.ok(number <= made.get(storage_box_id)!, `no other subaccount gets the username of ${id}`)
    }
  },
  /** I6, I10: each box is out there with its accounts, and no snapshot is that the database does not have. */
  async world(found, { simulation: { world } }) {
    const all = await found.all('storage_box')
    const [snapshots, subaccounts] = [
      await found.all('storage_box_snapshot'),
      await found.all('storage_box_subaccount'),
    ]
    const leaving = new Set((await found.all('storage_box_state')).map(({ id }) => id))
    for (const { id, capacity, password_hash, ssh_enabled } of all) {
      const box = world.storageBoxes.get(id)
      const own = subaccounts.filter((one) => one.storage_box_id === id)
      assert.equal(box?.state.bytes, capacity, `Storage Box ${id} is out there`)
      assert.deepEqual(
        box.state.accounts.map(({ passwordHash, hasSsh, isReadonly }) => [passwordHash, hasSsh, isReadonly]),
        [
          [password_hash, ssh_enabled === 1, false],
          ...own
            .toSorted((a, b) => a.id - b.id)
            .map((one) => [one.password_hash, one.ssh_enabled === 1, one.readonly === 1]),
        ],
        `the accounts of Storage Box ${id}`,
      )
      const names = new Set(snapshots.filter((one) => one.storage_box_id === id).map(({ name }) => name))
      for (const name of Object.keys(box.snapshots)) assert.ok(names.has(name), `I10: snapshot ${name} of ${id}`)
    }
    for (const id of world.storageBoxes.keys()) assert.ok(leaving.has(id), `I10: Storage Box ${id} has no owner`)
  },
}
