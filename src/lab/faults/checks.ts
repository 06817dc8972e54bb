/** Checks what the schema of a rule cannot say. */
import { parseInstant } from '../../kernel/contract/instants.ts'
import { parseSelector } from '../../kernel/contract/selectors.ts'
import type { Problem } from '../../kernel/errors.ts'
import { parseDuration } from '../duration.ts'
import type { Effect, FaultBody, Latency } from './contract.ts'
import { durationProblem } from './durations.ts'
import { codes, commands, operationNamed, stepsOf, types } from './known.ts'
import type { MatchBody } from './matching.ts'

/** The names that the catalogue has. */
export interface Offered {
  readonly locations: ReadonlySet<string>
  /** The types of servers and of Load Balancers. */
  readonly serverTypes: ReadonlySet<string>
}

/** A check of a value: undefined when it is fine, and else why it is not. */
type Check<Value> = (value: Value) => string | undefined

const oneOf =
  (known: ReadonlySet<string>, what: string): Check<string> =>
  (value) =>
    known.has(value) ? undefined : `must be ${what}`

/** Everything that is wrong with a rule, by field. */
export function problemsOf(body: FaultBody, offered: Offered): Problem[] {
  const problems: Problem[] = []
  const check = <Value>(field: string, value: Value | undefined, problemOf: Check<Value>) => {
    const message = value === undefined ? undefined : problemOf(value)
    if (message !== undefined) problems.push({ field, message })
  }
  check('name', body.name, (name) =>
    /^[.-]*\w[\w.-]*$/.test(name) && name.length <= 64
      ? undefined
      : 'must be 1 to 64 letters, digits, dots, dashes or underscores, and not of dots and dashes alone',
  )
  const { match = {}, when = {}, fault } = body
  check('match.operation', match.operation, (name) =>
    operationNamed(name) ? undefined : 'must be an operation of the API, such as servers_create or POST /servers',
  )
  problems.push(...contradictions(match))
  check('match.resource', match.resource, oneOf(types, 'a type of resource, such as server'))
  check('match.command', match.command, oneOf(commands, 'a command of actions, such as create_server'))
  check('match.label_selector', match.label_selector, (text) => {
    const parsed = parseSelector(text)
    return parsed.ok ? undefined : parsed.message
  })
  check('match.location', match.location, oneOf(offered.locations, 'the name of a location'))
  check('match.server_type', match.server_type, oneOf(offered.serverTypes, 'the name of a type of servers'))
  check('when.for', when.for, durationProblem)
  check('when.until', when.until, (text) =>
    parseInstant(text) === undefined ? 'must be a time such as 2030-01-31T00:00:00Z' : undefined,
  )
  check('when.for', when.for, (text) => (parseDuration(text) === 0 ? 'must not be over at once' : undefined))
  if (when.for !== undefined) check('when.until', when.until, () => 'excludes for')
  if (when.share === undefined) check('when.seed', when.seed, () => 'is of no use without share')
  return [...problems, ...problemsOfEffect(body, fault)]
}

const ofSubjects = ['name', 'label_selector', 'location', 'server_type'] as const

/** What of a match never fits together with its operation, by field. */
function contradictions(match: MatchBody): Problem[] {
  const operation = match.operation === undefined ? undefined : operationNamed(match.operation)
  if (!operation) return []
  const { method, type, endpoint } = operation
  const problem = (name: keyof MatchBody, message: string) => ({ field: `match.${name}`, message })
  const { method: wanted = method, resource = type, id } = match
  const isAboutSomething = endpoint !== undefined && (endpoint.of !== undefined || endpoint.body !== undefined)
  const unknown = isAboutSomething ? [] : ofSubjects.filter((name) => match[name] !== undefined)
  return [
    ...(wanted === method ? [] : [problem('method', 'is not that of the operation')]),
    ...(resource === type ? [] : [problem('resource', 'is not that of the operation')]),
    ...(id === undefined || endpoint?.path.includes('{') ? [] : [problem('id', 'is not in the path of the operation')]),
    ...unknown.map((name) => problem(name, 'is nothing that the operation names')),
  ]
}

/** The most characters and levels of details, which come with each answer. */
const mostDetails = 65_536
const mostLevels = 16

/** Tells whether a value is too large to be sent, however often it refers to the same. */
function isTooLarge(value: unknown): boolean {
  let left = mostDetails
  const fits = (part: unknown, level: number): boolean => {
    left -= typeof part === 'string' ? part.length + 2 : 2
    if (left < 0) return false
    if (typeof part !== 'object' || part === null) return true
    return level < mostLevels && Object.entries(part).every(([key, one]) => fits(key, level) && fits(one, level + 1))
  }
  return !fits(value, 0)
}

type Add = (field: string, message: string | undefined) => void

const kinds = {
  requests: ['latency', 'error', 'reset', 'truncate', 'dribble'],
  actions: ['action'],
  'what can be ordered': ['sold_out'],
  'addresses of the pool': ['no_addresses'],
  'the name server': ['name_server'],
  'the metadata service': ['metadata'],
  targets: ['targets'],
} as const

const aboutResources = 'project id name label_selector location server_type'.split(' ') as never

/** A rule can be about these, by what its faults are about; all faults of a rule are of one kind. */
const fitting: Readonly<Record<keyof typeof kinds, readonly (keyof MatchBody)[]>> = {
  requests: 'operation method project resource id name label_selector location server_type'.split(' ') as never,
  actions: 'command project resource id name label_selector location server_type'.split(' ') as never,
  'what can be ordered': ['project', 'location', 'server_type'],
  'addresses of the pool': ['operation', 'project', 'resource', 'location'],
  'the name server': ['name'],
  'the metadata service': aboutResources,
  targets: aboutResources,
}

function problemsOfEffect({ match = {} }: FaultBody, effect: Effect): Problem[] {
  const problems: Problem[] = []
  const add: Add = (field, message) => {
    if (message !== undefined) problems.push({ field, message })
  }
  const { latency, error, reset, truncate, dribble, action, name_server: dns, metadata } = effect
  const given = Object.entries(kinds).filter(([, names]) => names.some((name) => effect[name] !== undefined))
  const [[kind] = [], ...others] = given as [keyof typeof kinds, readonly (keyof Effect)[]][]
  if (kind === undefined) add('fault', 'must say what happens')
  for (const [other, names] of others) {
    const surplus = names.find((name) => effect[name] !== undefined)!
    add(`fault.${surplus}`, `is about ${other}, and the rest about ${kind}`)
  }
  for (const name of kind ? (Object.keys(match) as (keyof MatchBody)[]) : [])
    if (!fitting[kind!].includes(name)) add(`match.${name}`, `says nothing of ${kind}`)
  if (latency) checkLatency(latency, 'fault.latency', add)
  if (dns?.latency) checkLatency(dns.latency, 'fault.name_server.latency', add)
  if (metadata) checkLatency(metadata.latency, 'fault.metadata.latency', add)
  if (dns && !dns.latency && dns.answer === undefined) add('fault.name_server', 'must say what happens')
  if (error && !codes.has(error.code)) add('fault.error.code', 'must be a code of the API, such as conflict')
  if (isTooLarge(error?.details))
    add('fault.error.details', `must not have more than ${mostDetails} characters in ${mostLevels} levels`)
  for (const name of ['sold_out', 'no_addresses'] as const)
    if (effect[name] === false) add(`fault.${name}`, 'must be true')
  if (error && reset) add('fault.reset', 'excludes error')
  if (reset && truncate) add('fault.truncate', 'excludes reset')
  if (reset && dribble) add('fault.dribble', 'excludes reset')
  if (truncate && dribble) add('fault.dribble', 'excludes truncate')
  if (dribble) add('fault.dribble.every', durationProblem(dribble.every))
  if (action) checkAction(action, match.command, add)
  return problems
}

function checkLatency({ duration, spread, distribution = 'fixed' }: Latency, field: string, add: Add): void {
  add(`${field}.duration`, durationProblem(duration))
  const hasSpread = distribution === 'uniform' || distribution === 'normal'
  if (spread === undefined) add(`${field}.spread`, hasSpread ? 'is required for this distribution' : undefined)
  else add(`${field}.spread`, hasSpread ? durationProblem(spread) : 'is of no use for this distribution')
}

function checkAction(action: NonNullable<Effect['action']>, command: string | undefined, add: Add): void {
  const { step, error, takes, stays_locked: isStuck } = action
  if (!error && takes === undefined && !isStuck) add('fault.action', 'must say what happens')
  if (error && isStuck) add('fault.action.stays_locked', 'excludes error')
  if (takes !== undefined) add('fault.action.takes', durationProblem(takes))
  if (step === undefined || (command !== undefined && !commands.has(command))) return
  const steps = stepsOf(command)
  if (!steps.has(step)) add('fault.action.step', `must be one of the steps ${[...steps].join(', ')}`)
}
