import assert from 'node:assert/strict'
import type { Consistency } from '../../../../test/kit/proof.ts'
import { backupSlots } from '../../images/domain.ts'

export const consistency: Consistency = {
  resources: 'server',
  async rows(found) {
    assert.deepEqual(await found.all('server_former'), [], 'I10: no server remembers what it cannot go back to')
    const images = await found.all('image')
    for (const { id, backup_window: window } of await found.all('server')) {
      const backups = images.filter((image) => image.bound_to === id)
      assert.ok(backups.length <= (window === null ? 0 : backupSlots), `server ${id} has ${backups.length} backups`)
    }
  },
  /** I6, and the power and the disk of each server. */
  async world(found, { simulation: { world } }) {
    const [servers, primaryIps] = [await found.all('server'), await found.all('primary_ip')]
    const ids = new Set<number>(servers.map(({ id }) => id))
    for (const id of world.servers.keys()) assert.ok(ids.has(id), `I10: server ${id} is out there without an owner`)
    for (const server of servers) {
      const { id, status, power, power_in_force: inForce, image, installation, iso } = server
      assert.ok(status === 'running' || status === 'off', `server ${id} rests, but is ${status}`)
      assert.deepEqual([power, inForce], status === 'running' ? ['on', 'on'] : ['off', 'off'])
      const known = world.servers.get(id)
      assert.ok(known, `server ${id} is out there`)
      assert.equal(known.power, power, `server ${id} has the power that it should have`)
      const disk = [known.state.image, known.state.installation]
      assert.deepEqual(disk, [image, installation], `server ${id} has the disk that it should have`)
      assert.equal(known.state.iso, iso, `server ${id} has the ISO that it should have`)
      const { cores, memoryMb, diskGb, passwordReset } = known.state
      assert.deepEqual(
        [cores, memoryMb, diskGb, passwordReset],
        [server.cores, server.memory_mb, server.primary_disk_size, server.password_reset],
        `server ${id} has the type and the password that it should have`,
      )
      assert.equal(known.system === null, power === 'off')
      if (server.rescue_until !== null) {
        assert.equal(known.state.rescue?.rootPasswordHash, server.rescue_password_hash, `server ${id} may be rescued`)
      }
      const ips = primaryIps.filter((ip) => ip.server_id === id)
      const ipOf = (type: string) => ips.find((ip) => ip.type === type)?.ip ?? null
      assert.deepEqual([known.state.ipv4, known.state.ipv6], [ipOf('ipv4'), ipOf('ipv6')], 'I6: its addresses')
    }
  },
}
