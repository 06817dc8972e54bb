/** What virtual machines promise beyond containers, on hosts where KVM works: `npm run test:kvm`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTime } from '../../../src/kernel/actions/in-time.ts'
import { done } from '../../kit/proof.ts'
import { type Viewer, view } from '../../stubs/rfb-client.ts'
import { onMachines, openMachines, patiently } from './machines.ts'

const gib = 1024 ** 3
/** ISOs of the catalogue: one that the operator of the tests imports, which writes to the serial port, and one that nobody does. */
const alpine = { id: 10724 }
const missing = { id: 551 }

test('virtual machines', onMachines, async (t) => {
  const machines = await openMachines()
  const { api, post, remove, ssh } = machines
  const server = await machines.server('machine')

  await t.test('a server is a virtual machine that its key lets in', async () => {
    assert.equal(await ssh(server, 'systemd-detect-virt'), 'kvm')
    assert.equal(await ssh(server, 'hostname'), 'machine')
    assert.equal(Number(await ssh(server, 'nproc')), server.server_type.cores)
    assert.equal(await ssh(server, 'cat /sys/class/dmi/id/product_serial'), String(server.id))
    const id = 'wget -qO- http://169.254.169.254/hetzner/v1/metadata/instance-id'
    assert.equal(await ssh(server, id), String(server.id), 'what the metadata service says')
  })

  await t.test('a server boots again after a reset, and is as large as its type says', async () => {
    const boot = () => ssh(server, 'cat /proc/sys/kernel/random/boot_id')
    const before = await boot()
    await post(`/servers/${server.id}/actions/reset`)
    await patiently(async () => (await boot().catch(() => before)) !== before, 'it has booted again')
    await post(`/servers/${server.id}/actions/poweroff`)
    await post(`/servers/${server.id}/actions/change_type`, { server_type: 'cpx32', upgrade_disk: false })
    await post(`/servers/${server.id}/actions/poweron`)
    const { server: larger } = await done(api.get(`/servers/${server.id}`))
    const cores = () => ssh(server, 'nproc').catch(() => '')
    await patiently(async () => Number(await cores()) === larger.server_type.cores, 'it has more cores')
  })

  await t.test('a volume is a disk without a format, which keeps what is written to it', async () => {
    const { location } = server
    const { volume } = await post('/volumes', { name: 'disk', size: 10, location: location.name })
    const path = volume.linux_device
    assert.equal(path, `/dev/disk/by-id/scsi-0HC_Volume_${volume.id}`)
    const attach = async () => {
      await post(`/volumes/${volume.id}/actions/attach`, { server: server.id })
      await patiently(() => ssh(server, `test -b ${path} && echo yes`).catch(() => undefined), 'the disk is there')
    }
    await attach()
    assert.equal(Number(await ssh(server, `blockdev --getsize64 ${path}`)), 10 * gib)
    await ssh(server, `mkfs.ext4 -q ${path} && mount ${path} /mnt && echo kept > /mnt/file && umount /mnt`)
    await post(`/volumes/${volume.id}/actions/detach`)
    await post(`/volumes/${volume.id}/actions/resize`, { size: 20 })
    await attach()
    assert.equal(Number(await ssh(server, `blockdev --getsize64 ${path}`)), 20 * gib)
    assert.equal(await ssh(server, `mount ${path} /mnt && cat /mnt/file && umount /mnt`), 'kept')
    await post(`/volumes/${volume.id}/actions/detach`)
    await remove(`/volumes/${volume.id}`)
  })

  await t.test('its serial port is its console', async () => {
    const { root_password: password } = await post(`/servers/${server.id}/actions/reset_password`)
    const { wss_url: url, password: key } = await post(`/servers/${server.id}/actions/request_console`)
    const viewer = await view(url, key)
    const shows = (text: string) => inTime((viewer as Viewer).shows(text), 120_000)
    viewer.type('\n')
    await shows('machine login:')
    viewer.type('root\n')
    await shows('Password:')
    viewer.type(`${password}\n`)
    await shows('root@machine:~#')
    await viewer.close()
  })

  await t.test('a snapshot of it boots, with what was on its disk', async () => {
    await ssh(server, 'echo kept > /root/file && sync')
    const { image } = await post(`/servers/${server.id}/actions/create_image`, { type: 'snapshot' })
    const other = await machines.server('other', { image: image.id })
    assert.equal(await ssh(other, 'cat /root/file'), 'kept')
    await remove(`/servers/${other.id}`)
    await remove(`/images/${image.id}`)
  })

  await t.test('a volume that a server is made with has its name from the first boot on', async () => {
    const { volume } = await post('/volumes', { name: 'early', size: 10, location: server.location.name })
    const other = await machines.server('early', { volumes: [volume.id] })
    assert.equal(Number(await ssh(other, `blockdev --getsize64 ${volume.linux_device}`)), 10 * gib)
    await remove(`/servers/${other.id}`)
    await remove(`/volumes/${volume.id}`)
  })

  await t.test('these hosts can do all that machines can', async () => {
    const { rescue, iso, block_volumes: disks, console: screen } = await machines.capabilities(server.location.id)
    assert.deepEqual({ rescue, iso, disks, screen }, { rescue: true, iso: true, disks: true, screen: true })
  })

  await t.test(
    'the next boot goes to the rescue system, with the addresses of the server, and the one after to the disk',
    async () => {
      const system = () => ssh(server, 'hostname').catch(() => '')
      await post(`/servers/${server.id}/actions/enable_rescue`, { ssh_keys: [machines.key] })
      assert.equal(await system(), 'machine', 'it boots nothing by itself')
      await post(`/servers/${server.id}/actions/reset`)
      await patiently(async () => (await system()) === 'rescue', 'the rescue system lets the key in')
      assert.ok(
        Number(await ssh(server, 'blockdev --getsize64 /dev/disk/by-id/*incus_root')) > gib,
        'its disk is there',
      )
      const { server: rescued } = await done(api.get(`/servers/${server.id}`))
      assert.equal(rescued.rescue_enabled, false)
      await post(`/servers/${server.id}/actions/reset`)
      await patiently(async () => (await system()) === 'machine', 'it has booted from its disk')
    },
  )

  await t.test('an ISO is in the drive while the server runs, and is booted from before the disk', async () => {
    const drive = 'cat /dev/disk/by-id/*incus_iso | head -c 1 | wc -c'
    await post(`/servers/${server.id}/actions/attach_iso`, { iso: alpine.id })
    await patiently(async () => (await ssh(server, drive)) === '1', 'the ISO can be read')
    await post(`/servers/${server.id}/actions/reset`)
    const { wss_url: url, password: key } = await post(`/servers/${server.id}/actions/request_console`)
    const viewer = await view(url, key)
    await inTime((viewer as Viewer).shows('localhost login:'), 300_000)
    await viewer.close()
    await post(`/servers/${server.id}/actions/detach_iso`)
    await post(`/servers/${server.id}/actions/reset`)
    await patiently(() => ssh(server, 'hostname').catch(() => undefined), 'it has booted from its disk')
    assert.equal(await ssh(server, 'ls /dev/disk/by-id | grep -c incus_iso || true'), '0')
  })

  await t.test('an ISO that the hosts do not have is refused, and the drive stays as it was', async () => {
    const { action } = await done(api.post(`/servers/${server.id}/actions/attach_iso`, { iso: missing.id }))
    const ended = await machines.ended(action.id)
    assert.deepEqual([ended.status, ended.error?.code], ['error', 'resource_unavailable'])
    assert.equal((await done(api.get(`/servers/${server.id}`))).server.iso, null)
  })

  await remove(`/servers/${server.id}`)
})
