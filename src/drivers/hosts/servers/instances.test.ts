/** What is done next for a server on hosts, by what is read of its instance. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyServer } from '../../../../test/kit/samples/server-states.ts'
import type { ServerState } from '../../../families/servers/driver.ts'
import type { Instance } from '../../../protocols/incus/edit.ts'
import { type InstanceOptions, markedDone, newInstance, nextTask, type Task } from './instances.ts'

const options: InstanceOptions = {
  instanceType: 'container',
  pool: 'local',
  publicNetwork: 'pub',
  nameServers: ['198.51.100.1'],
}
const ofMachines: InstanceOptions = { ...options, instanceType: 'virtual-machine' }
const internal = { ipv4: '172.31.0.7', ipv6: 'fd00:172:31::7' }

const wanted: ServerState = {
  ...emptyServer,
  cores: 2,
  memoryMb: 4096,
  diskGb: 80,
  installation: null,
  ipv4: '198.18.0.7',
  ipv6: '2001:db8:100:7::/64',
}

/** An instance as Incus has it after it was made for a state. */
function made(state: ServerState, status = 'Stopped', of = options): Instance {
  const { name, type, config, devices } = newInstance(state, internal, of)
  const rest = { architecture: 'x86_64', description: '', ephemeral: false, profiles: [], location: 'h1' }
  return { ...rest, name, type, status, config: { ...config, 'volatile.uuid': 'u' }, devices }
}

/** Does all tasks as Incus would, and tells which they were. */
const history = (instance: Instance, state: ServerState) => become(instance, state, options).tasks

/** Does all tasks as Incus would, and tells which they were, and what is there then. */
function become(instance: Instance, state: ServerState, of: InstanceOptions): { tasks: string[]; now: Instance } {
  const tasks: string[] = []
  let now = instance
  for (let task = nextTask(now, state, internal, of); task; task = nextTask(now, state, internal, of)) {
    tasks.push(task.do === 'stop' ? `stop ${task.manner}` : task.do)
    assert.ok(tasks.length < 10, tasks.join(', '))
    now = after(now, task, state)
  }
  return { tasks, now }
}

function after(instance: Instance, task: Task, state: ServerState): Instance {
  const mark = (...done: Parameters<typeof markedDone>[1]) => ({
    ...instance,
    config: { ...instance.config, ...markedDone(state, done) },
  })
  if (task.do === 'configure') return { ...instance, config: task.config, devices: task.devices }
  if (task.do === 'install') return mark('installation', 'passwordReset')
  if (task.do === 'set password') return mark('passwordReset')
  return { ...instance, status: task.do === 'boot' ? 'Running' : 'Stopped' }
}

test('a new server is as desired without power, and only boots with it', () => {
  assert.deepEqual(history(made(wanted), wanted), [])
  assert.deepEqual(history(made({ ...wanted, power: 'on' }), { ...wanted, power: 'on' }), ['boot'])
})

test('a newer state is written down before anything is done', () => {
  const next: ServerState = { ...wanted, generation: 2, power: 'on' }
  assert.deepEqual(history(made(wanted), next), ['configure', 'boot'])
  const off: ServerState = { ...wanted, generation: 3, manner: 'guest' }
  assert.deepEqual(history(made(next, 'Running'), off), ['configure', 'stop guest'])
})

test('a restart is a stop, a note and a boot, so that one which was cut off is not done twice', () => {
  const before: ServerState = { ...wanted, power: 'on', cycle: 4 }
  const next: ServerState = { ...before, generation: 2, cycle: 5, manner: 'guest' }
  assert.deepEqual(history(made(before, 'Running'), next), ['configure', 'stop guest', 'configure', 'boot'])
  // It is without power already: what was cut off only has to boot.
  assert.deepEqual(history(made(before), next), ['configure', 'boot'])
  assert.deepEqual(history(made(next, 'Running'), next), [])
})

test('a new installation takes the power, and sets the newest password with its first boot', () => {
  const before: ServerState = { ...wanted, power: 'on' }
  const next: ServerState = { ...before, generation: 2, installation: 9, passwordReset: 8, manner: 'guest' }
  assert.deepEqual(history(made(before, 'Running'), next), ['configure', 'stop hard', 'install', 'boot'])
})

test('a new password is set in the running system, at the next boot of one without power', () => {
  const before: ServerState = { ...wanted, power: 'on' }
  const next: ServerState = { ...before, generation: 2, passwordReset: 8 }
  assert.deepEqual(history(made(before, 'Running'), next), ['configure', 'set password'])
  assert.deepEqual(history(made(wanted), { ...next, power: 'off' }), ['configure'])
  assert.deepEqual(history(made(wanted), next), ['configure', 'boot', 'set password'])
})

test('devices of others stay, and its own come back', () => {
  const volume = { type: 'disk', pool: 'local', source: 'vol-3', path: '/mnt/HC_Volume_3' }
  const { eth0: _, ...others } = made(wanted).devices
  const task = nextTask({ ...made(wanted), devices: { ...others, 'vol-3': volume } }, wanted, internal, options)
  assert.ok(task?.do === 'configure')
  assert.deepEqual(Object.keys(task.devices).sort(), ['eth0', 'root', 'vol-3'])
})

test('a container asks nobody for its public addresses, also one that was made before', () => {
  const key = 'linux.sysctl.net.ipv6.conf.eth0.accept_dad'
  const { [key]: _, ...older } = made(wanted).config
  const task = nextTask({ ...made(wanted), config: older }, wanted, internal, options)
  assert.equal(task?.do === 'configure' && task.config[key], '0')
})

test('a virtual machine names its cloud to its guest, boots what nobody signed, and has a drive for cloud-init', () => {
  const { config, devices } = newInstance(wanted, internal, ofMachines)
  assert.equal(config['raw.qemu'], '-smbios type=1,manufacturer=Hetzner,serial=7')
  assert.equal(config['security.secureboot'], 'false')
  assert.deepEqual(devices['cloud-init'], { type: 'disk', source: 'cloud-init:config' })
  assert.deepEqual(Object.keys(newInstance(wanted, internal, options).devices), ['root', 'eth0'])
})

test('a virtual machine gives its volumes the names of the API, beside all else that it is told', () => {
  const vendorData = (of: InstanceOptions) => newInstance(wanted, internal, of).config['cloud-init.vendor-data']!
  const [head, ...rest] = vendorData(ofMachines).split('\n')
  assert.equal(head, '#cloud-config-archive')
  const [config, script] = JSON.parse(rest.join('\n')) as { content: string }[]
  assert.equal(config!.content, vendorData(options), 'what containers are told as well')
  assert.match(script!.content, /^#cloud-boothook\n#!\/bin\/sh\n/)
  assert.match(script!.content, /SYMLINK\+="disk\/by-id\/scsi-0HC_Volume_%c"/)
})

const running: ServerState = { ...wanted, power: 'on' }
const rescue = { sshKeys: ['ssh-ed25519 BBBB'], rootPasswordHash: '$6$r$s' }

test('an ISO is put into the drive of a virtual machine and taken out, and is before the disk at each boot', () => {
  const drive = { type: 'disk', pool: 'local', source: 'wolke-iso-8637', 'boot.priority': '5' }
  const inDrive = become(made(running, 'Running', ofMachines), { ...running, generation: 2, iso: 8637 }, ofMachines)
  assert.deepEqual(inDrive.tasks, ['configure'])
  assert.deepEqual(inDrive.now.devices.iso, drive)
  const again = become(inDrive.now, { ...running, generation: 3, iso: 8637, cycle: 5, installation: 6 }, ofMachines)
  assert.deepEqual(again.tasks, ['configure', 'stop hard', 'configure', 'install', 'boot'])
  assert.deepEqual(again.now.devices.iso, drive)
  const without = become(again.now, { ...running, generation: 4, cycle: 5, installation: 6 }, ofMachines)
  assert.deepEqual([without.tasks, Object.keys(without.now.devices)], [['configure'], ['root', 'eth0', 'cloud-init']])
})

test('the next boot of a virtual machine goes to the rescue system, with its own ways in, and the one after that does not', () => {
  const asked = { ...running, generation: 2, rescue, sshKeys: ['ssh-ed25519 AAAA'], userData: '#!/bin/sh' }
  const before = become(made(running, 'Running', ofMachines), asked, ofMachines)
  assert.deepEqual(before.tasks, ['configure'], 'it starts no boot')
  assert.equal(before.now.devices.rescue, undefined)
  assert.match(before.now.config['cloud-init.vendor-data']!, /AAAA/)

  const reset = { ...asked, generation: 3, cycle: 5 }
  const booted = become(before.now, reset, ofMachines)
  assert.deepEqual(booted.tasks, ['configure', 'stop hard', 'configure', 'boot'])
  const drive = { type: 'disk', pool: 'local', source: 'wolke-rescue', 'boot.priority': '10' }
  assert.deepEqual(booted.now.devices.rescue, drive)
  const { config } = booted.now
  assert.match(config['user.meta-data']!, /^instance-id: "7-rescue"\nlocal-hostname: "rescue"\npublic-keys: .*BBBB/)
  assert.match(config['cloud-init.vendor-data']!, /\$6\$r\$s/)
  assert.equal(
    config['cloud-init.user-data'],
    '',
    'what the user data does to the disk is not done to the rescue system',
  )
  assert.match(config['cloud-init.network-config']!, /198\.18\.0\.7/)
  assert.deepEqual(become(booted.now, reset, ofMachines).tasks, [], 'one call that is repeated boots once')

  // The boot has used it up.
  const used = { ...reset, rescue: null }
  const renamed = become(booted.now, { ...used, generation: 4, name: 'other' }, ofMachines)
  assert.deepEqual(renamed.tasks, ['configure'], 'it runs on')
  assert.equal(renamed.now.config['cloud-init.vendor-data'], config['cloud-init.vendor-data'])
  assert.deepEqual(renamed.now.devices.rescue, drive)
  const later = become(renamed.now, { ...used, generation: 5, cycle: 6 }, ofMachines)
  assert.deepEqual(later.tasks, ['configure', 'stop hard', 'configure', 'boot'])
  assert.equal(later.now.devices.rescue, undefined)
  assert.match(later.now.config['user.meta-data']!, /^instance-id: "7"\n/)
  assert.equal(later.now.config['cloud-init.user-data'], '#!/bin/sh')
})

test('a virtual machine without power that was to be rescued, and no longer is, boots from its disk', () => {
  const asked = become(made(wanted, 'Stopped', ofMachines), { ...wanted, generation: 2, rescue }, ofMachines)
  assert.ok(asked.now.devices.rescue)
  const ended = become(asked.now, { ...running, generation: 3 }, ofMachines)
  assert.deepEqual([ended.tasks, ended.now.devices.rescue], [['configure', 'boot'], undefined])
})

test('keys, the name and what the user says reach cloud-init; another installation is another instance for it', () => {
  const config = (state: ServerState) => newInstance(state, internal, options).config
  const userData = '#!/bin/sh\necho "{{ config_get }}"\n'
  const state = { ...wanted, userData, sshKeys: ['ssh-ed25519 AAAA me@there'], rootPasswordHash: '$6$a$b' }
  const first = config(state)
  assert.equal(first['cloud-init.user-data'], userData)
  assert.match(
    first['user.meta-data']!,
    /^instance-id: "7"\nlocal-hostname: "web"\npublic-keys: \["ssh-ed25519 AAAA me@there"\]\n$/,
  )
  assert.match(first['cloud-init.vendor-data']!, /^#cloud-config\n[\s\S]*"password":"\$6\$a\$b"/)
  assert.match(config({ ...state, installation: 9 })['user.meta-data']!, /^instance-id: "7-9"\n/)
})

test('a guest has its public address alone beside one of the link, with a gateway on the link, and the first of its network', () => {
  const { eth0 } = JSON.parse(newInstance(wanted, internal, options).config['cloud-init.network-config']!).ethernets
  const ofLink = 'fe80::9600:0000:0007/64'
  assert.deepEqual(eth0.addresses, ['198.18.0.7/32', '2001:db8:100:7::1/64', ofLink])
  assert.deepEqual(
    eth0.routes.map(({ to }: { to: string }) => to),
    ['172.31.1.1/32', '0.0.0.0/0', '::/0'],
  )
  const none = newInstance({ ...wanted, ipv4: null, ipv6: null }, internal, options)
  assert.deepEqual(JSON.parse(none.config['cloud-init.network-config']!).ethernets.eth0.addresses, [ofLink])
})
