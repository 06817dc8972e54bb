/** Incus: the cluster with its pool, the networks of servers, and the certificate of Wolke. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { isActive, linesOf, type Machine } from '../machine.ts'
import { clusterCert, wolkeCert } from '../paths.ts'
import type { Step } from '../steps.ts'
import { accessScript, incusFirstScript, incusJoinScript, networksScript } from '../texts.ts'

const shownCert = '/var/lib/incus/cluster.crt'

export function incusStep({ shell, decided }: Machine): Step {
  const { name, underlay, central, pool, joined } = decided
  const first = {
    name: 'incus-first',
    text: incusFirstScript,
    args: [name, underlay.address, central, pool.key, pool.value],
  }
  const join = {
    name: 'incus-join',
    // A try that was cut off may have come to its end by itself.
    text: `if timeout 20 incus cluster list --format csv | grep -q '^${name},'; then exit 0; fi\n${incusJoinScript}`,
    args: [underlay.address, joined?.clusterToken ?? '', pool.key, pool.value],
  }
  const isMember = async () => (await membersOf(shell)).includes(name)
  const reachesOvn = async () =>
    (await linesOf(shell, 'incus', 'config', 'get', 'network.ovn.northbound_connection')).includes(
      `ssl:${central}:6641`,
    )
  const hasPool = async () =>
    (await linesOf(shell, 'incus', 'storage', 'list', '--format', 'csv')).some((line) => line.startsWith('local,'))
  return {
    name: 'incus',
    title: joined ? 'Incus as a further member, with its pool' : 'Incus with its pool',
    isSo: async () =>
      (await isActive(shell, 'incus')) && (await isMember()) && (await hasPool()) && (await reachesOvn()),
    scripts: () => [{ name: 'enable-incus', text: 'systemctl enable incus\n' }, joined ? join : first],
    async undo() {
      if (await isActive(shell, 'incus')) {
        if (joined) await shell.run('incus', 'cluster', 'remove', name, '--force', '--yes')
        await shell.script('incus-remove', removeText, [])
      }
      await shell.run('systemctl', 'disable', '--now', 'incus')
      await shell.script('incus-data', dataText, [])
      if (pool.key === 'source') await shell.run('wipefs', '--all', pool.value)
    },
  }
}

/** Names of members; none when Incus does not answer or has no cluster. */
export async function membersOf(shell: Machine['shell']): Promise<string[]> {
  const lines = await linesOf(shell, 'timeout', '20', 'incus', 'cluster', 'list', '--format', 'csv')
  return lines.map((line) => line.split(',')[0]!)
}

/** Addresses of members; none when Incus does not answer or has no cluster. */
export async function addressesOf(shell: Machine['shell']): Promise<string[]> {
  const lines = await linesOf(shell, 'timeout', '20', 'incus', 'cluster', 'list', '--format', 'csv')
  return lines.flatMap((line) => /,https:\/\/([\d.]+):\d+,/.exec(line)?.[1] ?? [])
}

/** Servers, Load Balancers and whatever else a host has in Incus. */
export async function instancesOf(shell: Machine['shell'], host: string): Promise<string[]> {
  const lines = await linesOf(
    shell,
    'timeout',
    '20',
    'incus',
    'list',
    '--all-projects',
    '--format',
    'csv',
    '--columns',
    'nL',
  )
  const found = lines.map((line) => line.split(','))
  return found.filter(([, location]) => location === host).map(([name]) => name!)
}

const removeText = `# Everything in Incus goes: who undoes has said so where there was something of tenants.
for instance in $(incus list --format csv --columns n); do incus delete --force "$instance"; done
for image in $(incus image list --format csv --columns f); do incus image delete "$image"; done
for network in $(incus network list --format csv | sed -n 's/^\\([^,]*\\),\\(ovn\\),YES.*/\\1/p'); do incus network delete "$network"; done
incus network delete UPLINK 2>/dev/null || ! incus network show UPLINK >/dev/null 2>&1
incus storage delete local 2>/dev/null || true
`

const dataText = `# What is left of the daemon: its database, and pools that are still mounted.
for mount in $(findmnt --list --noheadings --output TARGET | grep '^/var/lib/incus/' | sort -r); do umount "$mount"; done
find /var/lib/incus -mindepth 1 -delete 2>/dev/null || rm -rf /var/lib/incus/*
rm -rf /var/cache/incus /var/log/incus
`

export function networksStep({ shell, decided: { uplink } }: Machine): Step {
  const { gateway4, range4, gateway6, pool4, pool6 } = uplink
  const isThere = async (network: string) =>
    (await linesOf(shell, 'incus', 'network', 'show', network)).includes('status: Created')
  return {
    name: 'networks',
    title: 'Networks of servers',
    isSo: async () => (await isThere('UPLINK')) && (await isThere('pub')),
    scripts: () => [
      {
        name: 'networks-cut-off',
        text: [
          '# What was cut off is made again from its beginning.',
          'for network in pub UPLINK; do',
          '  if incus network show "$network" >/dev/null 2>&1; then incus network delete "$network"; fi',
          'done',
          '',
        ].join('\n'),
      },
      { name: 'networks', text: networksScript, args: [gateway4, range4, gateway6, pool4, pool6] },
    ],
  }
}

/** Lets Wolke in, and gives it the certificate by which it knows Incus. */
export function accessStep({ shell }: Machine): Step {
  const isTrusted = async () => {
    const own = new X509Certificate(readFileSync(wolkeCert)).fingerprint256.replaceAll(':', '').toLowerCase()
    const lines = await linesOf(shell, 'incus', 'config', 'trust', 'list', '--format', 'json')
    return lines.join('').toLowerCase().includes(own)
  }
  return {
    name: 'access',
    title: 'Wolke may use Incus',
    isSo: async () =>
      existsSync(wolkeCert) &&
      existsSync(clusterCert) &&
      existsSync(shownCert) &&
      readFileSync(clusterCert).equals(readFileSync(shownCert)) &&
      (await isTrusted()),
    scripts: () => [
      {
        name: 'access-before',
        text: 'for old in $(incus config trust list --format csv --columns nf | sed -n "s/^wolke,//p"); do\n  incus config trust remove "$old"\ndone\n',
      },
      { name: 'access', text: accessScript, args: [wolkeCert] },
      { name: 'cluster-certificate', text: `install -m 644 ${shownCert} ${clusterCert}\n` },
    ],
    async undo() {
      rmSync(clusterCert, { force: true })
    },
  }
}
