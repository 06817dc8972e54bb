/** The life of a server. */
import assert from 'node:assert/strict'
import { connect, ipv4Of, ipv6Of, ping, type Stage, telling, toldPath } from './stage.ts'

/** It answers with the key of the API once it runs, and has done what its user data says. */
export async function comesUp(stage: Stage): Promise<void> {
  const { look } = stage.place
  const [server] = await stage.servers({ name: 'first', user_data: telling('hello') })
  await stage.answers(ipv4Of(server), 'first')
  await stage.arrive(ping(ipv4Of(server)), ping(ipv6Of(server)), connect(ipv6Of(server), 22))
  assert.equal(await look.read(server.id, toldPath), 'hello')
}

/** What is on its disk outlives everything but a new installation. */
export async function keepsItsDisk(stage: Stage): Promise<void> {
  const { look, largerType, image } = stage.place
  const [server] = await stage.servers({ name: 'kept' })
  const address = ipv4Of(server)
  await stage.answers(address, 'kept')
  await look.write(server.id, '/root/kept', 'mine')

  await stage.command(server.id, 'poweroff')
  await stage.vanish(ping(address))
  await stage.command(server.id, 'poweron')
  await stage.answers(address, 'kept')
  assert.equal(await look.read(server.id, '/root/kept'), 'mine')

  for (const restart of ['reboot', 'reset']) {
    const before = await look.bootOf(server.id)
    await stage.command(server.id, restart)
    assert.notEqual(await look.bootOf(server.id), before, `${restart} boots it`)
    await stage.answers(address, 'kept')
  }

  const small = await look.sizeOf(server.id)
  await stage.command(server.id, 'shutdown')
  await stage.vanish(ping(address))
  await stage.command(server.id, 'change_type', { server_type: largerType, upgrade_disk: true })
  await stage.command(server.id, 'poweron')
  await stage.answers(address, 'kept')
  const large = await look.sizeOf(server.id)
  assert.ok(large.cores > small.cores && large.memoryMb > small.memoryMb, JSON.stringify({ small, large }))
  assert.equal(await look.read(server.id, '/root/kept'), 'mine')

  await stage.command(server.id, 'rebuild', { image })
  await stage.answers(address, 'kept')
  assert.equal(await look.read(server.id, '/root/kept'), undefined, 'a new installation has nothing of the old one')
}

/** A name of the API is not that of the guest. */
export async function isRenamed(stage: Stage): Promise<void> {
  const [server] = await stage.servers({ name: 'before' })
  await stage.answers(ipv4Of(server), 'before')
  const { body } = await stage.place.api.put(`/servers/${server.id}`, { name: 'after' })
  assert.equal(body.server.name, 'after')
  await stage.place.settle()
  await stage.answers(ipv4Of(server), 'before')
}
