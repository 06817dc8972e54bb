/** What hosts say of their networks, for whoever has to find out why a packet did not arrive. */
import { type Lab, type Member, onMember } from '../../../lab/lab.ts'
import { run } from './guests.ts'

const onEach = [
  'pgrep -a "ov[ns]"',
  'ovs-vsctl show',
  'ovs-appctl -t ovn-controller connection-status',
  'ovs-appctl tnl/neigh/show',
  'ovs-appctl ovs/route/show',
  'ip -s link',
  'tail -n 40 /var/log/ovn/ovn-controller.log',
  'tail -n 20 /var/log/openvswitch/ovs-vswitchd.log',
]
const onFirst = [
  'ovn-sbctl show',
  'ovn-nbctl show',
  'ovn-sbctl --columns=logical_port,chassis,up,mac list port_binding',
]

/** Daemons, interfaces and logs of all hosts of a lab, and what the databases of OVN have. What fails says so in its place. */
export async function networksOf({ members }: Lab): Promise<string> {
  const all = members.map((member, index) => say(member, index === 0 ? [...onEach, ...onFirst] : onEach))
  return (await Promise.all(all)).join('\n')
}

async function say(member: Member, commands: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(onMember(member, ['sh', '-c', commands.join('; ')]))
  return `${member.name}:\n${stdout}${stderr}`
}
