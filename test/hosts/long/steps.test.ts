/**
 * Wolke, the daemons of Incus, the databases of OVN and whole hosts are killed at every step of what they do: at each
 * request that changes something, in one run after the other. What was asked for is brought about all the same, hosts and
 * database agree, and nothing is left over. `WOLKE_TEST_STEPS` picks rounds by a pattern of their names, and
 * `WOLKE_TEST_VICTIM` who dies.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Json, Stage } from '../../conformance/stage.ts'
import { clear } from '../../conformance/suite.ts'
import { until } from '../../kit/database/bare-database.ts'
import { theLab } from '../kit/cluster.ts'
import { cutPower, killDaemon, powerUp, restart } from '../kit/daemons.ts'
import { Gates, type Plan } from '../kit/gates.ts'
import { incus, onHost } from '../kit/guests.ts'
import { inLab } from '../kit/place.ts'
import { openProcess, type ProcessPlace } from '../kit/process.ts'
import { type Request, rounds } from './rounds.ts'

const { WOLKE_TEST_STEPS: chosenRounds = '', WOLKE_TEST_VICTIM: chosenVictims = '' } = process.env
/** Nothing follows any more when nothing was changed for so long after the actions have ended, in milliseconds. */
const quietMs = 300

interface Victim extends Pick<Plan, 'engines' | 'moment'> {
  /** The host that it is, by its place among them: `one` is on it, and so is what is made. */
  readonly host?: number
  /** Kills it, and starts it again. */
  strike(place: ProcessPlace): Promise<void>
}

const victims: Readonly<Record<string, Victim>> = {
  Wolke: { engines: ['incus', 'ovn'], moment: 'after', strike: killWolke },
  'all daemons of Incus': { engines: ['incus'], moment: 'meanwhile', strike: killIncus },
  'the databases of OVN': { engines: ['ovn'], moment: 'meanwhile', strike: killOvn },
  // It is the one that is asked, and has the databases of OVN.
  'the first host': wholeHost(0),
  'another host': wholeHost(1),
}

for (const [who, victim] of Object.entries(victims).filter(([name]) => name.match(chosenVictims))) {
  test(`killed at every step: ${who}`, inLab, async (t) => {
    const { gates, place } = await open()
    after(() => gates.close())
    const steps = new Steps(gates, place, victim)
    const before = await place.look.leftovers()
    const ids = await makeEstate(new Stage(place), victim)
    const chosen = Object.entries(rounds).filter(([name]) => name.match(chosenRounds))
    for (const [name, round] of chosen)
      await t.test(name, async (t) => {
        const deaths = await steps.walk(round(ids, place), ids)
        t.diagnostic(`deaths per request: ${deaths.join(', ')}`)
      })
    await clear(place)
    let left: readonly string[] = []
    const isCleared = async () => {
      left = await place.look.leftovers()
      return left.length === before.length
    }
    await until(isCleared).catch(() => assert.deepEqual(left, before, 'what is left'))
  })
}

async function open() {
  let gates: Gates | undefined
  const place = await openProcess(theLab(), async (folder) => {
    gates = await Gates.open(theLab(), folder)
    return gates.options
  })
  return { gates: gates!, place }
}

/** Two servers on different hosts, and the key of all. */
async function makeEstate(stage: Stage, { host = 0 }: Victim): Promise<Record<string, number>> {
  const apart = await stage.apart()
  const ids = (await stage.servers({ name: 'one', ...apart }, { name: 'two', ...apart })).map(({ id }): number => id)
  const hosts = await hostsOf(stage, ids)
  const [one, two] = [ids[hosts.indexOf(host)]!, ids[hosts.indexOf(1 - host)]!]
  await fillOthers(stage, host)
  return { one, two, key: await stage.key() }
}

/** On which hosts servers are, by their places among them. */
async function hostsOf({ place }: Stage, ids: readonly number[]): Promise<number[]> {
  const names = await Promise.all(ids.map((id) => place.look.hostOf(id)))
  return names.map((host) => theLab().members.findIndex(({ name }) => name === host))
}

/** Gives all hosts but one less room, so that new servers are made on that one. */
async function fillOthers(stage: Stage, host: number): Promise<void> {
  const { location, image, largerType } = stage.place
  const { placement_group: group } = await stage.post('/placement_groups', { name: 'full', type: 'spread' })
  const large = { location, image, server_type: largerType, placement_group: group.id, start_after_create: false }
  const ids: number[] = []
  for (const { name } of theLab().members) {
    ids.push((await stage.post('/servers', { name: `full-${name}`, ...large })).server.id)
  }
  const hosts = await hostsOf(stage, ids)
  await stage.delete(`/servers/${ids[hosts.indexOf(host)]}`)
}

async function killWolke(place: ProcessPlace): Promise<void> {
  await place.kill()
  await place.start()
}

async function killIncus(): Promise<void> {
  const { members } = theLab()
  await Promise.all(members.map((member) => killDaemon(member, '/run/incus.pid')))
  await Promise.all(members.map((member) => restart(member, 'incus')))
}

async function killOvn(): Promise<void> {
  const [central] = theLab().members
  for (const name of ['ovnnb_db', 'ovnsb_db', 'ovn-northd']) await killDaemon(central!, `/run/ovn/${name}.pid`)
  await restart(central!, 'ovn-central')
}

/** While a host is away, actions that need it may fail, and take back what they did. */
function wholeHost(host: number): Victim {
  const strike = async () => {
    const member = theLab().members[host]!
    await cutPower(member)
    await powerUp(member)
  }
  return { engines: ['incus', 'ovn'], moment: 'meanwhile', host, strike }
}

const sayHostIsAway = /^the host \S+ is gone$|do not answer/

class Steps {
  readonly #gates: Gates
  readonly #place: ProcessPlace
  readonly #victim: Victim
  #usual: readonly string[] = []

  constructor(gates: Gates, place: ProcessPlace, victim: Victim) {
    this.#gates = gates
    this.#place = place
    this.#victim = victim
  }

  /**
   * Sends the requests of a round again and again, each time with a death at a later step of each, until none has so many.
   * Returns the number of deaths at each request.
   */
  async walk(round: readonly (() => Request)[], ids: Record<string, number>): Promise<readonly number[]> {
    const before = await this.#things()
    this.#usual = await this.#place.differences()
    const deaths = round.map(() => 0)
    for (let number = 1, more = true; more; number++) {
      more = false
      for (const [at, request] of round.entries()) {
        const asked = request()
        const { reply, died } = await this.#survive(asked, number)
        if (asked.makes) ids[asked.makes] = reply[asked.makes].id
        if (!died) continue
        deaths[at]!++
        more = true
      }
      let now: string[] = []
      const isAsBefore = async () => {
        now = await this.#things()
        return isDeepStrictEqual(now, before)
      }
      // What no action removes is left to the background jobs, which run at the start.
      await this.#place.reconcile()
      await until(isAsBefore).catch(() => assert.deepEqual(now, before, `what there is after deaths at step ${number}`))
    }
    return deaths
  }

  /** Sends a request whose step with a number is the last one of the victim. */
  async #survive(request: Request, number: number): Promise<{ reply: Json; died: boolean }> {
    const what = `${request.method} ${request.path}, with a death at step ${number}`
    const { engines, moment, strike } = this.#victim
    const answered = Promise.withResolvers<void>()
    const happen = async () => {
      await answered.promise
      await strike(this.#place)
    }
    this.#gates.plan({ number: request.isSafe ? Number.POSITIVE_INFINITY : number, engines, moment, happen })
    let reply = await this.#send(request, what)
    answered.resolve()
    const died = await this.#passes()
    const failed = await this.#failedOf(reply, what)
    if (failed.length > 0) {
      const isExcused = this.#victim.host !== undefined && failed.some(({ error }) => sayHostIsAway.test(error.message))
      assert.ok(died && isExcused, `${what}: ${JSON.stringify(failed)}`)
      reply = await this.#repeat(request, reply, what)
    }
    if (died) await this.#agrees(what)
    return { reply, died }
  }

  /** Sends a request again that has failed, once all is as it was before. */
  async #repeat(request: Request, { [request.makes ?? '']: made }: Json, what: string): Promise<Json> {
    await this.#place.reconcile()
    await this.#agrees(`${what}, which failed`)
    // A server that could not start is there.
    if (made && (await this.#place.api.get(`${request.path}/${made.id}`)).status === 200) {
      await new Stage(this.#place).delete(`${request.path}/${made.id}`)
    }
    const reply = await this.#send(request, `${what}, again`)
    assert.deepEqual(await this.#failedOf(reply, what), [], `${what}, again`)
    return reply
  }

  async #send({ method, path, body }: Request, what: string): Promise<Json> {
    const { api } = this.#place
    const answer = await (method === 'delete' ? api.delete(path) : api[method](path, body))
    assert.ok(answer.status < 300, `${what}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  /** Waits until a death is over, or everything that was asked for. Whether it came to a death. */
  async #passes(): Promise<boolean> {
    while (!this.#gates.happened) {
      // A death may come in between.
      const isOver = await this.#isOver().catch(() => false)
      if (isOver && this.#gates.forget()) return false
      await delay(20)
    }
    await this.#gates.happened
    return true
  }

  async #isOver(): Promise<boolean> {
    const isQuiet = () => this.#gates.quietMs > quietMs
    return isQuiet() && (await this.#place.running()) === 0 && isQuiet()
  }

  /** The actions of an answer that have failed, once all have ended. */
  async #failedOf(reply: Json, what: string): Promise<Json[]> {
    await until(() => this.#isOver(), `${what} is over`)
    const asked = [reply?.action, ...(reply?.actions ?? []), ...(reply?.next_actions ?? [])].filter(Boolean)
    const actions = await Promise.all(asked.map(({ id }) => this.#place.api.get(`/actions/${id}`)))
    return actions.map(({ body }) => body.action).filter(({ status }) => status !== 'success')
  }

  /** Hosts and database agree as far as they did before the round. */
  async #agrees(what: string): Promise<void> {
    let more: readonly string[] = []
    const isSame = async () => {
      more = (await this.#place.differences()).filter((line) => !this.#usual.includes(line))
      return more.length === 0
    }
    await until(isSame).catch(() => assert.deepEqual(more, [], what))
  }

  /** What there is on the hosts by its names, with the power of instances; rows of OVN have the name of what they are for. */
  async #things(): Promise<string[]> {
    const instances = await incus<InstanceSeen[]>(theLab(), '/1.0/instances?recursion=2')
    const states = instances.map(({ name, status }) => `${name} is ${status}`)
    const snapshots = instances.flatMap((one) => one.snapshots ?? []).map(({ name }) => `snapshot ${name}`)
    const left = await this.#place.look.leftovers()
    const others = left.filter((name) => /^[a-z]/.test(name))
    // The name of a port has an identity of its instance, which one that is made again has not.
    const ports = left.filter((name) => name.startsWith('Logical_Switch_Port')).map(() => 'port of a switch')
    return [...states, ...snapshots, ...others, ...ports, ...(await marksOfRows())].sort()
  }
}

interface InstanceSeen {
  readonly name: string
  readonly status: string
  readonly snapshots: readonly { readonly name: string }[] | null
}

const tables = ['ACL', 'Logical_Router_Static_Route', 'Logical_Router_Policy', 'Load_Balancer']

/** The marks of Wolke on rows of OVN, each as often as there are rows with it. */
async function marksOfRows(): Promise<string[]> {
  const [central] = theLab().members
  const list = ['ovn-nbctl', '--timeout=30', '--bare', '--columns=external_ids', 'list']
  const found = tables.map(async (table) => {
    const marks = (await onHost(central!, ...list, table)).match(/wolke[^ \n]*=[^ \n]+/g) ?? []
    return marks.map((mark) => `${table} ${mark}`)
  })
  return (await Promise.all(found)).flat()
}
