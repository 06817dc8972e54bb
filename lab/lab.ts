/** A running lab describes itself in the file named by `WOLKE_LAB` to programs that run in it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A host of the lab. */
export interface Member {
  readonly name: string
  /** Its address on the network of the hosts. */
  readonly address: string
  /** The first process of its namespaces, as programs in the lab number it. */
  readonly pid: number
  /** The folders of its control groups, which limit its memory. */
  readonly cgroups: readonly string[]
}

/** A running lab. Paths are files of the machine. */
export interface Lab {
  readonly name: string
  readonly folder: string
  readonly members: readonly Member[]
  readonly incus: {
    /** The socket of the first member. */
    readonly socket: string
    /** The URLs of every member, the first one first. */
    readonly urls: readonly string[]
    /** The certificate that every member shows. */
    readonly serverCertificate: string
    readonly clientCertificate: string
    readonly clientKey: string
  }
  readonly ovn: {
    /** The northbound database, such as `ssl:10.99.0.1:6641`. */
    readonly northbound: string
    readonly authority: string
    readonly certificate: string
    readonly key: string
  }
  /** The names that an operator gives: networks and the storage pool. */
  readonly names: { readonly uplink: string; readonly network: string; readonly pool: string }
  /** Networks that public addresses are given from. */
  readonly pools: { readonly ipv4: string; readonly ipv6: string }
  /** The addresses of this side on the uplink, from which servers are reached and which they reach. */
  readonly outside: { readonly ipv4: string; readonly ipv6: string }
  /** The address on which Wolke listens for requests for metadata. */
  readonly metadata: { readonly host: string; readonly port: number }
}

/** The variable that holds the path of the description. */
export const labVariable = 'WOLKE_LAB'

/** The lab that this process runs in, or undefined when it runs in none. */
export function currentLab(): Lab | undefined {
  const path = process.env[labVariable]
  return path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as Lab)
}

/** The command line that runs one on a member, with its namespaces and within its limits. */
export function onMember({ pid, cgroups }: Member, command: readonly string[]): [string, ...string[]] {
  const enter = ['nsenter', '-t', `${pid}`, '-m', '-p', '-n', '-u', '-i', '-C', '-r', '-w']
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  return [...joining(cgroups.map(innermost)), ...enter, 'env', '-i', path, 'HOME=/root', 'LC_ALL=C.UTF-8', ...command]
}

/** Version 2 takes no process into a group that has groups within, so that init.sh makes one for those of a host itself. */
function innermost(cgroup: string): string {
  const scope = join(cgroup, 'init.scope')
  return existsSync(scope) ? scope : cgroup
}

/** The beginning of a command line whose process joins control groups. */
export function joining(cgroups: readonly string[]): [string, ...string[]] {
  const script = 'while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs"; shift; done; shift; exec "$@"'
  return ['sh', '-euc', script, 'sh', ...cgroups, '--']
}
