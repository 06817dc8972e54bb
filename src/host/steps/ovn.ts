/** OVN: its databases on the first host, and each host as one of its chassis. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { isActive, type Machine } from '../machine.ts'
import type { Step } from '../steps.ts'
import { centralScript, networkScript } from '../texts.ts'

export function centralStep({ shell }: Machine): Step {
  const listens = async (database: string, port: number) => {
    const { code, stdout } = await shell.run(`ovn-${database}ctl`, '--timeout=10', 'get-connection')
    return code === 0 && stdout.includes(`pssl:${port}`)
  }
  return {
    name: 'central',
    title: 'Databases of OVN',
    isSo: async () =>
      (await isActive(shell, 'ovn-central')) && (await listens('nb', 6641)) && (await listens('sb', 6642)),
    scripts: () => [
      { name: 'enable-central', text: 'systemctl enable ovn-central\n' },
      { name: 'central', text: centralScript },
    ],
    async undo() {
      await shell.run('systemctl', 'stop', 'ovn-central')
      for (const file of ['ovnnb_db.db', 'ovnsb_db.db']) rmSync(`/var/lib/ovn/${file}`, { force: true })
    },
  }
}

/** A further host has none of the databases, which its package would start. */
export function noCentralStep({ shell }: Machine): Step {
  return {
    name: 'no-central',
    title: 'No databases of OVN beside those of the first host',
    isSo: async () => !(await isActive(shell, 'ovn-central')),
    scripts: () => [{ name: 'disable-central', text: 'systemctl disable --now ovn-central\n' }],
  }
}

export function chassisStep({ shell, decided: { name, underlay, central, uplink } }: Machine): Step {
  const ids = [
    ['system-id', name],
    ['ovn-remote', `ssl:${central}:6642`],
    ['ovn-encap-ip', underlay.address],
  ] as const
  const idFile = '/etc/openvswitch/system-id.conf'
  const hasIds = async () => {
    const { stdout } = await shell.run('ovs-vsctl', '--timeout=10', 'get', 'open_vswitch', '.', 'external_ids')
    return ids.every(([key, value]) => stdout.includes(`${key}="${value}"`) || stdout.includes(`${key}=${value}`))
  }
  const hasPorts = async () => {
    const { code, stdout } = await shell.run('ovs-vsctl', '--timeout=10', 'list-ports', 'br-pub')
    return code === 0 && (uplink.device === '' || stdout.split('\n').includes(uplink.device))
  }
  return {
    name: 'chassis',
    title: 'Bridge to the outside, and the host in OVN',
    isSo: async () =>
      existsSync(idFile) &&
      readFileSync(idFile, 'utf8').trim() === name &&
      (await isActive(shell, 'openvswitch-switch')) &&
      (await isActive(shell, 'ovn-host')) &&
      (await hasIds()) &&
      (await hasPorts()),
    scripts: () => [
      { name: 'enable-chassis', text: 'systemctl enable openvswitch-switch ovn-host\n' },
      { name: 'network', text: networkScript, args: [name, underlay.address, central, uplink.device] },
    ],
    async undo() {
      await shell.run('systemctl', 'stop', 'ovn-host')
      if (await isActive(shell, 'openvswitch-switch')) {
        const own = ['system-id', 'ovn-remote', 'ovn-encap-type', 'ovn-encap-ip']
        await shell.run(
          'ovs-vsctl',
          '--timeout=30',
          '--',
          '--if-exists',
          'del-br',
          'br-pub',
          '--',
          '--if-exists',
          'del-br',
          'br-int',
        )
        await shell.run('ovs-vsctl', '--timeout=30', 'del-ssl')
        for (const key of own)
          await shell.run('ovs-vsctl', '--timeout=30', 'remove', 'open_vswitch', '.', 'external_ids', key)
      }
      rmSync(idFile, { force: true })
    },
  }
}
