/** What the other tests here stand on: a lab has hosts with limits, and leaves nothing when it ends, however it ends. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { Member } from '../../lab/lab.ts'
import { until } from '../kit/database/bare-database.ts'
import { program } from '../program/kit/program.ts'
import { theLab } from './kit/cluster.ts'
import { onHost, output } from './kit/guests.ts'
import { inLab } from './kit/place.ts'

const main = join(import.meta.dirname, '../../lab/main.ts')

test('all hosts of a lab are members of one cluster, and chassis of one network', inLab, async () => {
  const { members } = theLab()
  for (const member of members) {
    const cluster = JSON.parse(await onHost(member, 'incus', 'cluster', 'list', '--format', 'json'))
    const states = cluster.map(({ server_name, status }: Record<string, string>) => `${server_name} ${status}`)
    assert.deepEqual(
      states,
      members.map(({ name }) => `${name} Online`),
    )
    assert.equal((await onHost(member, 'hostname')).trim(), member.name)
    // Debian takes the name of the chassis from here at each boot.
    assert.equal((await onHost(member, 'cat', '/etc/openvswitch/system-id.conf')).trim(), member.name)
  }
  const chassis = await onHost(members[0]!, 'ovn-sbctl', '--timeout=30', '--bare', '--columns=name', 'list', 'Chassis')
  assert.deepEqual(
    chassis.split('\n').filter(Boolean).sort(),
    members.map(({ name }) => name),
  )
})

test('hosts listen on the ports that the page about them names, and on no others', inLab, async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/hosts.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (.*host.*?) \| TCP (\d+) \|/gm)]
  const [first, ...others] = theLab().members
  const named = (to: RegExp) => rows.filter(([, which]) => to.test(which!)).map(([, , port]) => port!)
  const listening = async (member: Member) => {
    const sockets = await onHost(member, 'ss', '-Hlnt')
    const ends = sockets.split('\n').flatMap((line) => line.trim().split(/\s+/)[3] ?? [])
    const ports = ends.filter((end) => !/^(127\.|\[::1\])/.test(end)).map((end) => end.replace(/^.*:/, ''))
    return [...new Set(ports)].sort()
  }
  assert.deepEqual(await listening(first!), named(/./).sort())
  for (const member of others) assert.deepEqual(await listening(member), named(/^every host$/))
})

test('a host of a lab cannot take more memory than it has been given', inLab, async () => {
  for (const { cgroups } of theLab().members) {
    const files = cgroups.flatMap((folder) => globSync(`${folder}{/memory.limit_in_bytes,/memory.max,/../memory.max}`))
    const limits = files.map((file) => Number(readFileSync(file, 'utf8')))
    assert.ok(
      limits.some((bytes) => bytes === 3 * 1024 ** 3),
      `${files} have ${limits}`,
    )
  }
})

test('a lab leaves nothing when its command ends, nor when it is killed', inLab, async (t) => {
  await Promise.all([
    leavesNothing(t, 'read -r _', async (lab) => {
      lab.stdin!.end('\n')
      assert.deepEqual(await once(lab, 'exit'), [0, null])
    }),
    leavesNothing(t, 'sleep infinity', async (lab) => {
      lab.kill('SIGKILL')
      await once(lab, 'exit')
      await output([process.execPath, main, 'clean'])
    }),
  ])
})

test('a lab says how Wolke is run in it, which ends when it is interrupted', inLab, async (t) => {
  const { folder } = program('served')
  const lab = spawn(process.execPath, [main, 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, WOLKE_LAB_HOSTS: '1' },
  })
  t.after(() => lab.kill('SIGKILL'))
  let said: string[] | undefined
  for await (const line of createInterface({ input: lab.stdout! })) {
    said ??= /^ {2}node (\S+) (serve) /.exec(line)?.slice(1)
    if (line.startsWith('Programs')) break
  }
  // Whoever types it is in no lab.
  const { WOLKE_LAB: _, ...env } = process.env
  const file = join(folder, 'ready')
  const options = { cwd: join(import.meta.dirname, '../..'), env }
  const serving = spawn(process.execPath, [...said!, '--ready-file', file, '--log-level', 'error'], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => serving.kill('SIGKILL'))
  const ended = once(serving, 'exit')
  await until(async () => existsSync(file) || serving.exitCode !== null, 'Wolke is ready')
  const asking = `fetch('http://127.0.0.1:8080/v1/servers').then(({ status }) => console.log(status))`
  const asked = await promisify(execFile)(process.execPath, [said![0]!, 'in', process.execPath, '-e', asking], options)
  assert.equal(asked.stdout, '401\n')

  serving.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
  assert.equal(existsSync(file), false)
  lab.kill('SIGINT')
  await once(lab, 'exit')
})

/** Starts a lab whose command waits, ends it, and looks for what is left of it. */
async function leavesNothing(t: TestContext, wait: string, end: (lab: ChildProcess) => Promise<void>): Promise<void> {
  const look = 'stat -c %i "$(dirname "$WOLKE_LAB")"/h?/incus/disks/*.img; echo "$WOLKE_LAB"'
  const lab = spawn(process.execPath, [main, 'run', 'sh', '-euc', `${look}; ${wait}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, WOLKE_LAB_HOSTS: '1' },
  })
  t.after(() => lab.kill('SIGKILL'))
  const disks: string[] = []
  let path = ''
  for await (const line of createInterface({ input: lab.stdout! })) {
    if (line.endsWith('lab.json')) {
      path = line
      break
    }
    disks.push(line)
  }
  assert.equal(disks.length, 1, `${disks} are the disks of hosts`)
  const name = basename(dirname(path))
  assert.ok(processesOf(name).length > 5 && groupsOf(name).length > 0, 'its processes are in its control groups')
  assert.ok(
    (await loopDisks()).some((disk) => disks.includes(disk)),
    'its disks are loop devices',
  )

  await end(lab)
  assert.deepEqual(processesOf(name), [], 'processes')
  assert.deepEqual(groupsOf(name), [], 'control groups')
  assert.equal(existsSync(dirname(path)), false, 'its folder')
  assert.deepEqual(
    (await loopDisks()).filter((disk) => disks.includes(disk)),
    [],
    'loop devices',
  )
}

const groupsOf = (lab: string) => globSync(`/sys/fs/cgroup/{,*/}${lab}`)

/** Processes in the control groups of a lab. */
function processesOf(lab: string): string[] {
  return globSync('/proc/[0-9]*/cgroup').filter((path) => {
    try {
      return readFileSync(path, 'utf8').includes(`/${lab}/`)
    } catch (error) {
      // It has just ended.
      if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return false
      throw error
    }
  })
}

/** The numbers of files that are the disks of loop devices. */
async function loopDisks(): Promise<string[]> {
  const listed = await output(['losetup', '--list', '--noheadings', '--output', 'BACK-INO'])
  return listed.split('\n').map((line) => line.trim())
}
