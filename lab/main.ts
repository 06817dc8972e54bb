/**
 * A lab of three hosts with Incus and OVN on this machine, for root:
 *   node lab/main.ts build              builds what labs are made of, which every other command does when it has to
 *   node lab/main.ts run COMMAND...     starts a lab, runs a command in it, which `WOLKE_LAB` tells about it, and ends it
 *   node lab/main.ts start              starts a lab that runs until it is interrupted
 *   node lab/main.ts serve OPTION...    runs Wolke on the hosts of the lab that runs, or of one of its own, until it is interrupted
 *   node lab/main.ts in COMMAND...      runs a command in the network of the lab that runs, or a shell, where Wolke and servers answer
 *   node lab/main.ts exec HOST COMMAND  runs a command on a host of the lab that runs
 *   node lab/main.ts bare COUNT...      starts bare hosts, of a release and with so many interfaces, until it is interrupted
 *   node lab/main.ts clean              clears up after labs that were killed
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type BareRelease, bareReleases, buildBare } from './bare/build.ts'
import { startBareHosts } from './bare/hosts.ts'
import { build } from './build.ts'
import { makeLabGroup } from './cgroups.ts'
import { follow } from './commands.ts'
import { startLab } from './inside.ts'
import { currentLab, type Lab, labVariable, onMember } from './lab.ts'
import { clear, descriptionOf, folderOf, labs, ownName, runningLab, within } from './labs.ts'
import { buildProgram, interruptible, serveCommand } from './serve.ts'

/** The memory that all hosts of a lab may use together, in bytes. */
const memory = 6 * 1024 ** 3
const self = [process.execPath, import.meta.filename]

const commands: Record<string, (...args: string[]) => Promise<number>> = {
  async build() {
    const { host, image } = await build()
    console.log(`${host}\n${image}`)
    for (const release of bareReleases) console.log((await buildBare(release)).tree)
    return 0
  },
  run,
  start: () => run(...self, 'rest'),
  serve,
  async in(...given) {
    const command = given.length > 0 ? given : ['bash']
    const [program = '', ...args] = currentLab() ? command : within(theRunningLab(), command)
    return await follow(program, args)
  },
  exec: execute,
  bare,
  async clean() {
    for (const name of labs().left) await clear(name)
    return 0
  },
  inside,
  /** Keeps a lab until it is ended. */
  rest() {
    console.log(`The lab is up, until it is interrupted. In another terminal:
  node lab/main.ts serve                runs Wolke on its hosts, until it is interrupted
  node lab/main.ts in COMMAND...        runs a command where Wolke and its servers answer, such as hcloud or ssh
  node lab/main.ts exec h1 incus list   runs a command on a host
Programs in its namespaces find what it is in ${process.env[labVariable]}`)
    setInterval(() => {}, 1 << 30)
    return new Promise(() => {})
  },
}

try {
  const [name = 'start', ...args] = process.argv.slice(2)
  const command = commands[name]
  if (!command) throw new Error(`The lab does not know ${name}: ${Object.keys(commands).slice(0, 8).join(', ')}`)
  if (process.getuid?.() !== 0) throw new Error('The lab needs root: it makes namespaces, mounts and control groups')
  process.exitCode = await command(...args)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

/** Runs a command in a lab of its own. Whatever ends this process ends all that it started. */
async function run(...command: string[]): Promise<number> {
  await build()
  for (const left of labs().left) await clear(left)
  const lab = ownName()
  mkdirSync(folderOf(lab))
  try {
    makeLabGroup(lab, memory)
    return await inNamespaces([...self, 'inside', lab, ...command])
  } finally {
    await clear(lab)
  }
}

/** The first process of the namespaces reaps what ends without a parent, and ends with the command. */
function inNamespaces(command: readonly string[]): Promise<number> {
  const own = ['--net', '--mount', '--pid', '--ipc', '--uts', '--mount-proc', '--fork', '--kill-child']
  const first = ['bash', '-c', '"$@" <&0 & wait $!', 'lab']
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...own, ...first, ...command], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 130))
  })
}

/** Makes the lab in the namespaces that this process has for it, and runs a command there. */
async function inside(name: string, ...[command = '', ...args]: string[]): Promise<number> {
  const folder = folderOf(name)
  const started = performance.now()
  const lab = await startLab(name, folder)
  const description = descriptionOf(name)
  writeFileSync(description, JSON.stringify(lab, null, 2))
  console.error(`The lab was up after ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return await follow(command, args, { ...process.env, [labVariable]: description })
}

/** Starts bare hosts in a lab that has nothing else. */
async function bare(count = '1', release: string = bareReleases[0], interfaces = '2'): Promise<number> {
  const lab = currentLab()
  if (!lab) {
    await buildBare(release as BareRelease)
    return await run(...self, 'bare', count, release, interfaces)
  }
  const options = { release: release as BareRelease, interfaces: interfaces === '1' ? 1 : 2 } as const
  const { hosts } = await startBareHosts(lab.name, lab.folder, Number(count), options)
  const describe = () => {
    const members = [...lab.members, ...hosts.map((host) => host.member())]
    writeFileSync(descriptionOf(lab.name), JSON.stringify({ ...lab, members }, null, 2))
  }
  describe()
  console.log(`Up are ${hosts.map(({ name, address }) => `${name} (${address})`).join(', ')}, until this is interrupted. In another terminal:
  node lab/main.ts exec b1 COMMAND      runs a command on one
  echo b1 reboots one, when it is written to standard input here`)
  for await (const name of createInterface({ input: process.stdin })) {
    await hosts.find((host) => host.name === name)?.reboot()
    describe()
    console.log(`${name} is up again`)
  }
  return 0
}

/** Runs a command on a host, from within the lab or from outside of the only one that runs. */
async function execute(host: string, ...command: string[]): Promise<number> {
  const lab = currentLab()
  if (lab) {
    const member = lab.members.find(({ name }) => name === host)
    if (!member) throw new Error(`The lab has no host ${host}`)
    const [program, ...args] = onMember(member, command)
    return await follow(program, args)
  }
  const [program, ...args] = within(theRunningLab(), [...self, 'exec', host, ...command])
  return await follow(program, args)
}

/** Runs Wolke until it is interrupted. In a lab of its own, everything goes at once with the lab. */
async function serve(...options: string[]): Promise<number> {
  await buildProgram()
  const lab = currentLab()
  if (lab) return await interruptible([], serveCommand(lab, options))
  const running = runningLab()
  if (running === undefined) return await run(...self, 'serve', ...options)
  const description = JSON.parse(readFileSync(descriptionOf(running), 'utf8')) as Lab
  return await interruptible(within(running, []), serveCommand(description, options))
}

/** The name of the lab that runs. Errors: one when there is not one. */
function theRunningLab(): string {
  const running = runningLab()
  if (running === undefined) throw new Error('No lab runs: npm run lab:hosts starts one')
  return running
}
