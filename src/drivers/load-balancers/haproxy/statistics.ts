/** Reads what HAProxy says of itself: its statistics and its processes. */

/** What the services of one process have had so far. */
export interface Counters {
  readonly openConnections: number
  readonly connections: number
  readonly requests: number
  readonly ingoing: number
  readonly outgoing: number
}

/** How one service sees one target. */
export interface CheckRow {
  readonly listenPort: number
  readonly address: string
  /** Such as `UP`, `UP 1/3` or `DOWN`. */
  readonly status: string
  /** Such as `L7STS`; `INI` before the first check. */
  readonly check: string
  /** The status of an HTTP answer; null when it is not known. */
  readonly code: number | null
  /** What the check said in words. */
  readonly message: string
}

/** One line of the statistics. */
interface Row {
  text(column: string): string
  number(column: string): number
}

/** Reads the lines that `show stat` answers. Errors: one for another answer. */
function parseRows(csv: string): Row[] {
  const [head = '', ...lines] = csv.split('\n').filter((line) => line !== '')
  if (!head.startsWith('# pxname,')) throw new Error(`HAProxy answers ${JSON.stringify(head.slice(0, 200))}`)
  const columns = new Map(
    head
      .slice(2)
      .split(',')
      .map((name, index) => [name, index]),
  )
  return lines.map((line) => {
    const fields = splitCsv(line)
    const text = (column: string) => fields[columns.get(column)!] ?? ''
    return { text, number: (column) => Number(text(column)) }
  })
}

/** Adds up what all services have had. Errors: one for another answer than that to `show stat`. */
export function parseCounters(csv: string): Counters {
  const rows = parseRows(csv).filter((row) => row.text('svname') === 'FRONTEND')
  return sumCounters(rows.filter((row) => row.text('pxname').startsWith('service_')).map(toCounters))
}

/** What is said of targets. Errors: one for another answer than that to `show stat`. */
export function parseChecks(csv: string): CheckRow[] {
  return parseRows(csv).flatMap((row) => toCheck(row) ?? [])
}

/** The fields of a line; those in quotes have quotes twice. */
function splitCsv(line: string): string[] {
  if (!line.includes('"')) return line.split(',')
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )
}

function toCounters(row: Row): Counters {
  return {
    openConnections: row.number('scur'),
    connections: row.number('stot'),
    requests: row.number('req_tot'),
    ingoing: row.number('bin'),
    outgoing: row.number('bout'),
  }
}

export function sumCounters(all: readonly Counters[]): Counters {
  const sum = (key: keyof Counters) => all.reduce((total, counters) => total + counters[key], 0)
  return {
    openConnections: sum('openConnections'),
    connections: sum('connections'),
    requests: sum('requests'),
    ingoing: sum('ingoing'),
    outgoing: sum('outgoing'),
  }
}

function toCheck(row: Row): CheckRow | undefined {
  const service = /^targets_(\d+)_/.exec(row.text('pxname'))
  const address = row.text('svname')
  if (!service || address === 'BACKEND') return undefined
  return {
    listenPort: Number(service[1]),
    address,
    status: row.text('status'),
    // An asterisk says that a check is running.
    check: row.text('check_status').replace(/^\* /, ''),
    code: row.number('check_code') || null,
    message: row.text('last_chk'),
  }
}

/** The processes of one balancer, by process id. */
export interface Processes {
  readonly master: number
  /** The one that takes connections; undefined while there is none. */
  readonly worker: number | undefined
  /** Those that finish their connections. */
  readonly oldWorkers: readonly number[]
  /** How many reloads in a row have failed. */
  readonly failedReloads: number
}

/** Reads the answer to `show proc`. Errors: one for another answer. */
export function parseProcesses(text: string): Processes {
  const master = /^(\d+)\s+master\s+\d+ \[failed: (\d+)\]/m.exec(text)
  if (!master) throw new Error(`HAProxy answers ${JSON.stringify(text.slice(0, 200))}`)
  const [current = '', old = ''] = text.split('# old workers')
  const workers = (part: string) => [...part.matchAll(/^(\d+)\s+worker\s/gm)].map(([, pid]) => Number(pid))
  return {
    master: Number(master[1]),
    worker: workers(current)[0],
    oldWorkers: workers(old),
    failedReloads: Number(master[2]),
  }
}

/** How HAProxy numbers the outcomes of checks that are none yet: unknown, and initialising. */
const uncheckedStatuses: readonly (string | undefined)[] = ['0', '1']

/**
 * The state of servers without those that were not checked yet. The first check of a new server decides; one whose state
 * HAProxy is given counts as up until several have failed. The result of a check says nothing of that: it is unknown
 * whenever another one runs.
 */
export function checkedState(state: string): string {
  const lines = state.split('\n')
  const column = lines[1]?.replace(/^# /, '').split(' ').indexOf('srv_check_status') ?? -1
  if (column < 0) throw new Error(`HAProxy answers ${JSON.stringify(state.slice(0, 200))}`)
  return lines.filter((line, index) => index < 2 || !uncheckedStatuses.includes(line.split(' ')[column])).join('\n')
}
