/** Terraform tells what is wrong, goes on after it, and brings back what somebody else has deleted. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeTerraform, nothing } from './terraform.ts'

describeTerraform('Terraform when something went wrong', (cloud) => {
  it('names the fields that are wrong, and goes on with what is missing', async () => {
    const workspace = cloud().open('failing')
    workspace.take('failing')
    workspace.set({ name: 'failing', size: 1, gateway: '10.0.0.1' })
    const said = await workspace.applyFails()
    assert.match(said, /invalid input in field 'size'.*with hcloud_volume\.main/)
    assert.match(said, /invalid input in field 'gateway'.*with hcloud_network_route\.main/)
    workspace.set({ name: 'failing', size: 10, gateway: '10.0.0.2' })
    assert.deepEqual(await workspace.apply(), { ...nothing, added: 2 })
    await workspace.planIsEmpty()
    assert.deepEqual(await workspace.destroy(), { ...nothing, destroyed: 3 })
  })

  it('brings back what somebody else has deleted', async () => {
    const workspace = cloud().open('deleted')
    workspace.take('failing')
    workspace.set({ name: 'deleted', size: 10, gateway: '10.0.0.2' })
    await workspace.apply()
    const { HCLOUD_ENDPOINT: endpoint, HCLOUD_TOKEN: token } = cloud().service.env
    for (const path of workspace.outputs().paths as string[]) {
      const headers = { authorization: `Bearer ${token}` }
      assert.equal((await fetch(`${endpoint}/${path}`, { method: 'DELETE', headers })).status, 204)
    }
    assert.deepEqual(await workspace.apply(), { ...nothing, added: 3 })
    await workspace.planIsEmpty()
    assert.deepEqual(await workspace.destroy(), { ...nothing, destroyed: 3 })
  })

  it('says that datacenters are gone', async () => {
    const workspace = cloud().open('datacenters')
    workspace.take('datacenters')
    assert.match(await workspace.applyFails(), /deprecated_api_endpoint.*Status code: 410/)
  })
})
