/** Terraform tells what is wrong, goes on after it, and brings back what somebody else has deleted. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeTerraform, nothing } from './terraform.ts'

/** Another network for the Load Balancer of `failing`. */
const second = `
resource "hcloud_network" "second" {
  name     = "second"
  ip_range = "10.1.0.0/16"
}

resource "hcloud_network_subnet" "second" {
  network_id   = hcloud_network.second.id
  type         = "cloud"
  network_zone = "eu-central"
  ip_range     = "10.1.1.0/24"
}

resource "hcloud_load_balancer_network" "second" {
  load_balancer_id = hcloud_load_balancer_network.main.load_balancer_id
  subnet_id        = hcloud_network_subnet.second.id
}
`

describeTerraform('Terraform when something went wrong', (cloud) => {
  it('names the fields that are wrong, and goes on with what is missing', async () => {
    const workspace = cloud().open('failing')
    workspace.take('failing')
    workspace.set({ name: 'failing', size: 1, gateway: '10.0.0.1', port: null })
    const said = await workspace.applyFails()
    assert.match(said, /invalid input in field 'size'.*with hcloud_volume\.main/)
    assert.match(said, /invalid input in field 'gateway'.*with hcloud_network_route\.main/)
    assert.match(said, /invalid input in field 'listen_port'.*with hcloud_load_balancer_service\.main/)
    workspace.set({ name: 'failing', size: 10, gateway: '10.0.0.2', port: 25 })
    assert.deepEqual(await workspace.apply(), { ...nothing, added: 3 })
    await workspace.planIsEmpty()
    assert.deepEqual(await workspace.destroy(), { ...nothing, destroyed: 7 })
  })

  it('brings back what somebody else has deleted', async () => {
    const workspace = cloud().open('deleted')
    workspace.take('failing')
    workspace.set({ name: 'deleted', size: 10, gateway: '10.0.0.2', port: 25 })
    await workspace.apply()
    const { env } = cloud().service
    const [endpoint, token] = [env.HCLOUD_ENDPOINT, env.HCLOUD_TOKEN]
    for (const path of workspace.outputs().paths as string[]) {
      const headers = { authorization: `Bearer ${token}` }
      assert.ok((await fetch(`${endpoint}/${path}`, { method: 'DELETE', headers })).ok, path)
    }
    assert.deepEqual(await workspace.apply(), { ...nothing, added: 7 })
    await workspace.planIsEmpty()
    assert.deepEqual(await workspace.destroy(), { ...nothing, destroyed: 7 })
  })

  it('says that a Load Balancer is in a network already', async () => {
    const workspace = cloud().open('attached')
    workspace.take('failing')
    workspace.set({ name: 'attached', size: 10, gateway: '10.0.0.2', port: 25 })
    await workspace.apply()
    workspace.write('second.tf', second)
    assert.match(
      await workspace.applyFails(),
      /with hcloud_load_balancer_network\.second.*load_balancer_already_attached/,
    )
    assert.deepEqual(await workspace.destroy(), { ...nothing, destroyed: 9 })
  })

  it('says that datacenters are gone', async () => {
    const workspace = cloud().open('datacenters')
    workspace.take('datacenters')
    assert.match(await workspace.applyFails(), /deprecated_api_endpoint.*Status code: 410/)
  })
})
