/**
 * Hosts that do not answer when Wolke starts: everything else is served meanwhile, and what concerns them fails for the time
 * being, until they do.
 */
import { DriverError } from '../../kernel/actions/define.ts'
import type { Machines } from '../by-location.ts'
import { callTimeoutMs, capabilitiesOf, type Hosts, openIncus } from './open.ts'
import type { ClusterOptions, ClusterParts } from './options.ts'

/** The pause between two attempts to reach them, in milliseconds. */
const usualPauseMs = 5_000

/** Opens hosts as soon as they answer. Errors: one line for the operator when they do and lack what is needed. */
export async function openLate(
  options: ClusterOptions,
  parts: ClusterParts,
  { open = openIncus, pauseMs = usualPauseMs } = {},
): Promise<Hosts> {
  try {
    return await open(options, parts)
  } catch (error) {
    if (!isAbsence(error)) throw error
    return new LateHosts(() => open(options, parts), { options, parts, pauseMs }, error as Error)
  }
}

/** Tells whether the reason is that something did not answer, and not that it answered and will not do. */
function isAbsence(error: unknown): boolean {
  if (error instanceof DriverError) return error.transient
  return error instanceof Error && isAbsence(error.cause)
}

interface LateParts {
  readonly options: ClusterOptions
  readonly parts: ClusterParts
  readonly pauseMs: number
}

class LateHosts implements Hosts {
  readonly #given: LateParts
  readonly #away: Machines
  #hosts: Hosts | undefined
  #reason: Error
  #timer: NodeJS.Timeout | undefined
  #attempt: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(open: () => Promise<Hosts>, given: LateParts, reason: Error) {
    this.#given = given
    this.#reason = reason
    this.#away = machinesAway(() => this.#absence())
    given.parts.log.warn({ err: reason, hosts: given.options.name }, 'the hosts are looked for until they answer')
    this.#lookLater(open)
  }

  get machines(): Hosts['machines'] {
    return this.#hosts?.machines ?? this.#away
  }

  check: Hosts['check'] = async (images, signal) => this.#present().check(images, signal)
  members: Hosts['members'] = async () => this.#present().members()
  look: Hosts['look'] = async (images) => this.#present().look(images)
  images: Hosts['images'] = async () => this.#present().images()
  importImage: Hosts['importImage'] = async (alias, source) => this.#present().importImage(alias, source)
  inventory: Hosts['inventory'] = async () => this.#present().inventory()
  uphold: Hosts['uphold'] = async () => this.#present().uphold()
  owner: Hosts['owner'] = async () => this.#present().owner()
  claim: Hosts['claim'] = async (installation) => this.#present().claim(installation)
  remark: Hosts['remark'] = async (thing) => this.#present().remark(thing)
  capabilities: Hosts['capabilities'] = () =>
    this.#hosts?.capabilities() ?? capabilitiesOf(this.#given.options, { hasBalancers: true, hasRescue: true })

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#attempt
    await this.#hosts?.close()
  }

  #present(): Hosts {
    if (!this.#hosts) throw this.#absence()
    return this.#hosts
  }

  #absence(): DriverError {
    const { name } = this.#given.options
    return new DriverError(`the hosts ${name} do not answer`, {
      transient: true,
      code: 'unavailable',
      cause: this.#reason,
    })
  }

  #lookLater(open: () => Promise<Hosts>): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#attempt = this.#look(open)
    }, this.#given.pauseMs)
  }

  async #look(open: () => Promise<Hosts>): Promise<void> {
    const { options, parts } = this.#given
    try {
      this.#hosts = await open()
      parts.log.info({ hosts: options.name }, 'the hosts answer')
    } catch (error) {
      this.#reason = error as Error
      if (!isAbsence(error)) parts.log.error({ err: error, hosts: options.name }, 'the hosts lack what is needed')
      this.#lookLater(open)
    }
  }
}

/** Machines of which nothing can be asked at the moment. */
function machinesAway(absence: () => DriverError): Machines {
  const refuse = async () => {
    throw absence()
  }
  return {
    callTimeoutMs,
    servers: { remembers: async () => true, apply: refuse, remove: refuse, measure: refuse },
    volumes: { apply: refuse, remove: refuse, attach: refuse },
    networks: { apply: refuse },
    interfaces: { apply: refuse },
    firewalls: { apply: refuse },
    routing: { apply: refuse },
    images: { capture: refuse, remove: refuse },
    loadBalancers: { apply: refuse, remove: refuse, observe: refuse, measure: refuse, inventory: refuse },
    console: { open: refuse },
    metadata: { identify: () => undefined },
  }
}
