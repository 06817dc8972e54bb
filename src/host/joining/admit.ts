/** `wolke host token`: lets one further host join, and tells Wolke of it. */
import type { Joined } from '../decisions.ts'
import { SetupRefused } from '../decisions.ts'
import { isActive } from '../machine.ts'
import { type Setup, setUp, withMember } from '../setup.ts'
import { membersOf } from '../steps/incus.ts'
import type { Say } from '../steps.ts'
import { type Applicant, authority, makeOffer, sign } from './offer.ts'
import { writeToken } from './token.ts'

/** The longest time that a host that has used its token has until it is a member, in milliseconds. */
const joiningMs = 1_800_000

/**
 * Prints a token and waits until a host has joined with it. Errors: `SetupRefused` where no host can join, and for a token
 * whose time is over.
 */
export async function admitOne(setup: Setup, minutes: number, say: Say): Promise<void> {
  const { shell, decided } = setup.machine
  if (decided.joined) throw new SetupRefused(`tokens are made on the first host, ${decided.central}`)
  if (!(await isActive(shell, 'incus'))) throw new SetupRefused('Incus does not run here: wolke host setup mends it')
  const expires = Date.now() + minutes * 60_000
  const offer = await makeOffer(decided, expires, (applicant) => admit(setup, applicant))
  try {
    say(writeToken(offer.token))
    say(`On the further machine: wolke host setup --join TOKEN, within ${minutes} minutes. This waits for it.`)
    const applicant = await within(offer.taken, expires, 'the token has expired, and nobody has used it')
    offer.close()
    say(`${applicant.name} (${applicant.address}) has used the token.`)
    await untilMember(setup, applicant)
    const after = withMember(setup, applicant.address)
    await setUp(only(after, ['host-network', 'tunnels', 'config', 'service']), say)
    say(`${applicant.name} is a host.`)
    const others = decided.members.filter((one) => one !== decided.underlay.address)
    if (others.length > 0)
      say(`Run wolke host setup on ${others.join(', ')} too, so that they let ${applicant.address} in.`)
  } finally {
    offer.close()
  }
}

/** What a host is given. The packet filter lets it in from then on. */
async function admit(setup: Setup, applicant: Applicant): Promise<Omit<Joined, 'token'>> {
  const { shell, decided } = setup.machine
  const { name, address } = applicant
  if ((await membersOf(shell)).includes(name)) throw new SetupRefused(`a host with the name ${name} is there already`)
  const certificate = await sign(shell, applicant)
  // A try before, which came to nothing, may have left one.
  await shell.run('incus', 'cluster', 'revoke-token', name)
  const clusterToken = await shell.output('incus', 'cluster', 'add', name, '--quiet')
  const after = withMember(setup, address)
  await setUp(only(after, ['host-network', 'tunnels']), () => undefined)
  const { members } = after.machine.decided
  return {
    central: decided.central,
    clusterToken,
    certificate,
    authority: authority(),
    members,
    uplink: decided.uplink,
  }
}

const only = (setup: Setup, names: readonly string[]): Setup => ({
  ...setup,
  steps: setup.steps.filter(({ name }) => names.includes(name)),
})

async function untilMember({ machine: { shell } }: Setup, { name }: Applicant): Promise<void> {
  const end = performance.now() + joiningMs
  while (!(await membersOf(shell)).includes(name)) {
    if (performance.now() > end) {
      await shell.run('incus', 'cluster', 'revoke-token', name)
      throw new Error(`${name} has used its token, but is no member of Incus after half an hour`)
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

async function within<T>(work: Promise<T>, end: number, message: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new SetupRefused(message)), end - Date.now())
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
