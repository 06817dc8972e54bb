/** Asynchronous work: the time from a request until its last action has succeeded. */
import { publicBase } from '../src/kernel/contract/bases.ts'
import { call, forAll, idsOf, timed, untilSettled } from './client.ts'
import { cpuUs, type Running, type Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import { type Effort, inTurns } from './rounds.ts'

/** Creates servers with the label `bench` and waits until they run. */
async function createServers({ url }: Running, count: number): Promise<number[]> {
  const names = Array.from({ length: count }, (_, i) => `bench-${i}`)
  const replies = await forAll(names, (name) =>
    call('POST', `${url}${publicBase}/servers`, {
      name,
      server_type: 'cx23',
      image: 'debian-13',
      labels: { bench: name },
    }),
  )
  await untilSettled(
    url,
    replies.flatMap(({ body }) => [body.action.id, ...body.next_actions.map(({ id }: { id: number }) => id)]),
  )
  return replies.map(({ body }) => body.server.id)
}

/** Measures the time from changing a firewall's rules until each of its 100 servers has them. */
export async function setRules(workshop: Workshop, { rounds }: Effort): Promise<Row[]> {
  const wolke = await workshop.serve(`sqlite:${workshop.file('rules.db')}`)
  await createServers(wolke, 100)
  const created = await call('POST', `${wolke.url}${publicBase}/firewalls`, {
    name: 'bench',
    apply_to: [{ type: 'label_selector', label_selector: { selector: 'bench' } }],
  })
  await untilSettled(wolke.url, idsOf(created.body.actions))
  const path = `${publicBase}/firewalls/${created.body.firewall.id}/actions/set_rules`
  let port = 1
  const change = (url: string) => call('POST', url + path, { rules: [ruleFor(++port)] })
  const bare = await workshop.bare([
    { method: 'GET', path: '/', status: 200, body: '{}' },
    { method: 'POST', path, status: 201, body: (await change(wolke.url)).text },
  ])
  const answered: number[] = []
  const compared = await inTurns(rounds * 3, {
    wolke: () =>
      timed(async () => {
        const start = performance.now()
        const { body } = await change(wolke.url)
        answered.push(performance.now() - start)
        await untilSettled(wolke.url, idsOf(body.actions))
      }),
    bare: () => timed(() => change(bare.url)),
  })
  const note = `until 100 actions succeeded; answered in ${median(answered).toFixed(1)} ms`
  return [{ name: 'set_rules, applied to 100 servers', unit: 'ms', ...compared, note }]
}

function ruleFor(port: number) {
  return { direction: 'in', protocol: 'tcp', port: String(port), source_ips: ['0.0.0.0/0', '::/0'] }
}

const burst = 400
const leastActions = 4_000

/** Measures turning servers off and on, from the first request to the success of the last action. */
export async function actions(workshop: Workshop, { rounds }: Effort): Promise<Row[]> {
  const wolke = await workshop.serve(`sqlite:${workshop.file('actions.db')}`)
  const servers = await createServers(wolke, burst)
  const paths = (command: string) => servers.map((id) => `${publicBase}/servers/${id}/actions/${command}`)
  const post = (url: string, command: string) => forAll(paths(command), (path) => call('POST', url + path))
  const replies = await post(wolke.url, 'reset')
  await untilSettled(
    wolke.url,
    replies.map(({ body }) => body.action.id),
  )
  const bare = await workshop.bare([
    { method: 'GET', path: '/', status: 200, body: '{}' },
    ...paths('reset').map((path) => ({ method: 'POST', path, status: 201, body: replies[0]!.text }) as const),
  ])
  let command = 'poweron'
  const before = cpuUs([wolke.pid])
  let done = 0
  const perSecond = async (work: () => Promise<unknown>) => (burst / (await timed(work))) * 1_000
  const compared = await inTurns(rounds * 4, {
    wolke: () =>
      perSecond(async () => {
        command = command === 'poweron' ? 'poweroff' : 'poweron'
        done += burst
        const started = await post(wolke.url, command)
        await untilSettled(
          wolke.url,
          started.map(({ body }) => body.action.id),
        )
      }),
    bare: () => perSecond(() => post(bare.url, 'reset')),
  })
  const cpu = ((cpuUs([wolke.pid]) - before) / done).toFixed(0)
  const note = `${burst} servers off and on, 32 at a time, until all succeeded; ${cpu} us of processor time each`
  const bar = { text: `>= ${leastActions} a second`, met: compared.wolke >= leastActions }
  return [{ name: 'power actions, durable', unit: 'actions/s', ...compared, bar, note }]
}
