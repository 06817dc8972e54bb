/** Shows what the server is, where it is reached, and how to sign in. */
import { sh } from '../../../commands/shell.ts'
import { Card, Facts } from '../../../ui/card.tsx'
import { CommandLine, Copyable } from '../../../ui/copy.tsx'
import { Columns } from '../../../ui/page.tsx'
import { Labels, None } from '../../../ui/tag.tsx'
import { Ago } from '../../../ui/time.tsx'
import { common as c } from '../../../words/common.ts'
import { number } from '../../../words/format.ts'
import { server as w } from '../detail.words.ts'
import { FirewallsCard } from '../firewalls-card.tsx'
import { addressesOf } from '../server.ts'
import { servers as s } from '../words.ts'
import type { TabProps } from './tab.ts'

export function OverviewTab({ server }: TabProps) {
  const { server_type: type, image, location, placement_group: group, iso } = server
  const addresses = addressesOf(server)
  return (
    <Columns
      aside={
        <Card title={w.enter} padded>
          {addresses[0] ? (
            <CommandLine text={sh`ssh root@${enterAt(addresses)}`} />
          ) : (
            <p className="dim">{w.noAddresses}</p>
          )}
          <p className="faint">{w.enterText}</p>
        </Card>
      }
    >
      <Card title={w.machine} padded>
        <Facts
          rows={[
            [w.type, `${type.name} · ${s.size(number(type.cores), number(type.memory))}`],
            [w.disk, w.gigabytes(number(server.primary_disk_size))],
            [w.image, image ? (image.name ?? image.description) : <None key="image" />],
            [w.location, `${location?.name} · ${location?.city}`],
            [w.created, <Ago key="created" time={server.created} />],
            ...(group ? [[w.group, group.name] as const] : []),
            ...(iso ? [[w.iso, iso.name ?? iso.description] as const] : []),
            [c.labels, <Labels key="labels" labels={server.labels} />],
          ]}
        />
      </Card>
      <Card title={w.addresses} padded>
        {addresses.length === 0 && <p className="dim">{w.noAddresses}</p>}
        {addresses.map((address) => (
          <Copyable key={address} text={address} />
        ))}
        {server.private_net.map(({ network, ip }) => (
          <Copyable key={network} text={ip} />
        ))}
      </Card>
      <FirewallsCard server={server} />
    </Columns>
  )
}

/** The address for SSH: of an IPv6 network, the first one in it. */
function enterAt([first = '']: readonly string[]): string {
  return first.replace(/::\/\d+$/, '::1')
}
