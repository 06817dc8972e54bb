/** A picture of a network: its subnets, what is in each, and where its routes lead. The tables say the same. */
import styles from '../../ui/picture.module.css'
import { holds, type Member, type Network } from './network.ts'
import { networks as w } from './words.ts'

const width = 720
const box = { width: 150, height: 26, gap: 10 }
const perRow = 3
const mostShown = 9
const left = { x: 8, width: 168 }
const subnetX = 220

interface TopologyProps {
  readonly network: Network
  readonly members: readonly Member[]
  readonly nameOf: (member: Member) => string
}

export function Topology({ network, members, nameOf }: TopologyProps) {
  let y = 8
  const subnets = network.subnets.map((subnet) => {
    const inside = members.filter(({ ip }) => holds(subnet.ip_range, ip))
    const rows = Math.max(1, Math.ceil(Math.min(inside.length, mostShown) / perRow))
    const height = 34 + rows * (box.height + box.gap)
    const place = { subnet, inside, y, height }
    y += height + 14
    return place
  })
  const routesAt = y
  const height = Math.max(90, routesAt + network.routes.length * 34)
  const middle = Math.max(40, (routesAt - 14) / 2)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on small screens, so the keyboard must reach it
    <section className="scroll" aria-label={w.topology} tabIndex={0}>
      <div>
        <svg
          className={styles.pic}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={w.picture(network.name, network.subnets.length, members.length, network.routes.length)}
        >
          <rect className={styles.node} x={left.x} y={middle - 26} width={left.width} height={52} rx={8} />
          <text className={styles.b} x={left.x + 14} y={middle - 4}>
            {shorten(network.name, 22)}
          </text>
          <text className={`${styles.m} ${styles.t2}`} x={left.x + 14} y={middle + 14}>
            {network.ip_range}
          </text>
          {subnets.map(({ subnet, inside, y: top, height: tall }) => (
            <g key={subnet.ip_range}>
              <path className={styles.edge} d={edge(middle, top + tall / 2)} />
              <rect className={styles.node} x={subnetX} y={top} width={width - subnetX - 8} height={tall} rx={8} />
              <text className={styles.m} x={subnetX + 14} y={top + 20}>
                {subnet.ip_range}
              </text>
              <text className={styles.t3} x={width - 22} y={top + 20} textAnchor="end">
                {subnet.network_zone}
              </text>
              <Members x={subnetX + 14} y={top + 30} members={inside} nameOf={nameOf} />
            </g>
          ))}
          {network.routes.map(({ destination, gateway }, index) => (
            <g key={destination}>
              <path className={`${styles.edge} ${styles.no}`} d={edge(middle, routesAt + index * 34 + 12)} />
              <text className={styles.m} x={subnetX + 14} y={routesAt + index * 34 + 16}>
                {destination}
              </text>
              <text className={styles.t3} x={width - 22} y={routesAt + index * 34 + 16} textAnchor="end">
                {w.via(gateway)}
              </text>
            </g>
          ))}
        </svg>
      </div>
    </section>
  )
}

function edge(from: number, to: number): string {
  const start = left.x + left.width
  return `M${start} ${from} C${start + 24} ${from} ${subnetX - 24} ${to} ${subnetX} ${to}`
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

interface MembersProps {
  readonly x: number
  readonly y: number
  readonly members: readonly Member[]
  readonly nameOf: (member: Member) => string
}

function Members({ x, y, members, nameOf }: MembersProps) {
  if (members.length === 0) {
    return (
      <text className={styles.t3} x={x} y={y + 18}>
        {w.empty}
      </text>
    )
  }
  const shown = members.length > mostShown ? members.slice(0, mostShown - 1) : members
  const at = (index: number) => ({
    x: x + (index % perRow) * (box.width + box.gap),
    y: y + Math.floor(index / perRow) * (box.height + box.gap),
  })
  const rest = at(shown.length)
  return (
    <>
      {shown.map((member, index) => {
        const place = at(index)
        return (
          <g key={`${member.type}${member.id}`}>
            <rect className={styles.pill} x={place.x} y={place.y} width={box.width} height={box.height} rx={6} />
            <text x={place.x + 8} y={place.y + 17}>
              {shorten(nameOf(member), 11)}
            </text>
            <text className={styles.t3} x={place.x + box.width - 8} y={place.y + 17} textAnchor="end">
              {member.ip}
            </text>
          </g>
        )
      })}
      {shown.length < members.length && (
        <text className={styles.t3} x={rest.x + 8} y={rest.y + 17}>
          {w.more(members.length - shown.length)}
        </text>
      )}
    </>
  )
}
