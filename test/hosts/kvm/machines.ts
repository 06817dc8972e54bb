/**
 * Wolke over hosts that run virtual machines, which the operator of the tests names by the variables of `wolke serve`: see
 * docs/hosts.md. Servers are reached at their public addresses, so the tests run where these are routed from.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from '../../conformance/stage.ts'
import { type Client, makeClient } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { program, token } from '../../program/kit/program.ts'
import { makeKey, onHosts } from '../kit/cluster.ts'
import { type Ended, run } from '../kit/guests.ts'
import { prepare } from '../kit/process.ts'

const needed = ['WOLKE_INCUS', 'WOLKE_OVN', 'WOLKE_ADDRESS_POOL', 'WOLKE_METADATA_LISTEN']
const missing = needed.filter((name) => !process.env[name])

/** Options of a test that needs hosts with KVM. */
export const onMachines =
  missing.length === 0 ? {} : { skip: `no hosts with KVM are named: ${missing.join(', ')} (see docs/hosts.md)` }

/** How long a machine may take to do something, in milliseconds: its disk is copied, and it boots. */
const patienceMs = 600_000
const pauseMs = 500

export interface Machines {
  readonly api: Client
  /** The id of the SSH key that servers let in. */
  readonly key: number
  /** What the location of the servers can do. */
  capabilities(location: number): Promise<Json>
  /** Sends a request, and waits until the actions that it started have succeeded. Returns the answer. */
  post(path: string, body?: object): Promise<Json>
  /** Waits until an action has ended, and answers what it is then. */
  ended(action: number): Promise<Json>
  /** Deletes something, and waits until it is gone. */
  remove(path: string): Promise<void>
  /** Makes a server that the key lets in, and waits until cloud-init has done its work in it. */
  server(name: string, more?: object): Promise<Json>
  /** Runs a command as root of a server that answers, and returns what it prints. */
  ssh(server: Json, command: string): Promise<string>
}

/** Starts Wolke, whose servers are virtual machines. */
export async function openMachines(): Promise<Machines> {
  const { folder, serve } = program('kvm')
  const file = join(folder, 'wolke.db')
  await prepare(file)
  const options = ['--infrastructure', 'incus', '--incus-type', 'virtual-machine']
  const { baseUrl } = await serve(`sqlite:${file}`, ...options, '--metadata-listen', process.env.WOLKE_METADATA_LISTEN!)
  const api = makeClient(baseUrl, token)
  const { file: keyFile, publicKey } = await makeKey(folder)
  const { ssh_key: key } = await done(api.post('/ssh_keys', { name: 'kvm', public_key: publicKey }))

  const ended = (id: number): Promise<Json> =>
    patiently(async () => {
      const { action } = await done(api.get(`/actions/${id}`))
      return action.status === 'running' ? undefined : action
    }, `action ${id} ends`)
  const succeed = async (reply: Json): Promise<Json> => {
    const actions = [reply?.action, ...(reply?.actions ?? []), ...(reply?.next_actions ?? [])].filter(Boolean)
    for (const { id } of actions) {
      const action = await ended(id)
      assert.equal(action.status, 'success', JSON.stringify(action))
    }
    return reply
  }
  const post = async (path: string, body?: object) => succeed(await done(api.post(path, body)))
  const remove = async (path: string) => void (await succeed(await done(api.delete(path))))
  const attempt = ({ public_net }: Json, command: string): Promise<Ended> => {
    const options = ['BatchMode=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'ConnectTimeout=5']
    const flags = ['-F', 'none', '-i', keyFile, ...options.flatMap((option) => ['-o', option])]
    return run(['ssh', ...flags, `root@${public_net.ipv4.ip}`, command])
  }
  const ssh = async (server: Json, command: string) => {
    const { code, stdout, stderr } = await attempt(server, command)
    assert.equal(code, 0, `${command}: ${stdout}${stderr}`)
    return stdout.trim()
  }
  const server = async (name: string, more: object = {}) => {
    const { location, image, type } = onHosts
    const wanted = { name, server_type: type, image, location, ssh_keys: [key.id], ...more }
    const made = (await post('/servers', wanted)).server
    await patiently(async () => (await attempt(made, 'cloud-init status --wait')).code === 0, `${name} has booted`)
    return (await done(api.get(`/servers/${made.id}`))).server
  }
  const capabilities = async (location: number) => {
    const path = `${baseUrl.replace(/\/v1$/, '/wolke/v1')}/locations/${location}/capabilities`
    return (await done(api.get(path))).capabilities
  }
  return { api, key: key.id, capabilities, ended, post, remove, server, ssh }
}

/** Asks again until there is an answer. */
export async function patiently<T>(ask: () => Promise<T | undefined | false>, what: string): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await delay(pauseMs)
  }
}
