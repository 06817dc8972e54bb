/** cloud-init, unmodified, learns from the metadata service who the server is and what it is to do. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { installCloudInit, run, serve, skipWithout } from './kit/clients.ts'

const script = join(import.meta.dirname, 'cloud_init.py')
const userData = '#cloud-config\nruncmd:\n  - [touch, /tmp/grüße]\n'

it("cloud-init's data source reads what the metadata service says of a server", async (t) => {
  const installed = await installCloudInit()
  if (!installed) return skipWithout(t, 'cloud-init needs python3, apt-get, dpkg-deb and a network')
  const service = await serve('memory')
  t.after(() => service.stop())
  const [api, token] = [service.env.HCLOUD_ENDPOINT, service.env.HCLOUD_TOKEN]
  const answer = await fetch(`${api}/servers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'web-1',
      server_type: 'cpx22',
      image: 'debian-13',
      location: 'hel1',
      user_data: userData,
    }),
  })
  assert.equal(answer.status, 201)
  const { server } = (await answer.json()) as {
    server: { id: number; location: { network_zone: string }; public_net: { ipv4: { ip: string } } }
  }
  const url = `${service.metadataUrl}/servers/${server.id}/v1`
  const { python, packages } = installed
  const { code, stdout, stderr } = await run(python, [script, packages, url, String(server.id), service.folder])
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), {
    instance_id: String(server.id),
    hostname: 'web-1',
    read: {
      hostname: 'web-1',
      'instance-id': server.id,
      'public-ipv4': server.public_net.ipv4.ip,
      'availability-zone': 'hel1-dc2',
      region: server.location.network_zone,
    },
    user_data: userData,
  })
})
