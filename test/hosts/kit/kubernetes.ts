/**
 * What a cluster of Kubernetes has beside its nodes: the API, and the unmodified controllers of the cloud. Its own
 * controllers and scheduler are left to the tests.
 */
import { spawn } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from '../../../lab/lab.ts'
import { endpointsAt } from '../../clients/kit/clients.ts'
import type { Json } from '../../conformance/stage.ts'
import { until } from '../../kit/database/bare-database.ts'
import { ask } from '../../load-balancers/kit/clients.ts'
import { token } from '../../program/kit/program.ts'
import { endOf } from './guests.ts'
import { endpoint } from './process.ts'

/** The folder that has the programs of Kubernetes and what they run, and `hcloud-cloud-controller-manager`. */
export const programs = process.env.WOLKE_KUBERNETES

/** Where pods have their addresses; each node has a part of it. */
const podRange = '10.244.0.0/16'

/** Nothing else listens in the namespace of a lab. */
const host = '127.0.0.1'
const storage = `http://${host}:2379`
const peers = `http://${host}:2380`
const port = 6443

const contentTypes: Readonly<Record<string, string>> = { PATCH: 'application/strategic-merge-patch+json' }

type Flags = Readonly<Record<string, string | number | boolean>>

export class Kubernetes implements AsyncDisposable {
  readonly folder: string
  /** Where servers and this side reach the API. */
  readonly url: string
  /** What may do everything. */
  readonly token = randomUUID()
  readonly #address: string
  readonly #running = new AsyncDisposableStack()

  private constructor(address: string, folder: string) {
    this.#address = address
    this.folder = folder
    this.url = `https://${address}:${port}`
  }

  /** Starts the API and waits until it answers. `folder` gets its data and the logs of all programs. */
  static async open({ outside }: Lab, folder: string): Promise<Kubernetes> {
    const kubernetes = new Kubernetes(outside.ipv4, folder)
    kubernetes.#start('etcd', {
      'data-dir': join(folder, 'etcd'),
      'listen-client-urls': storage,
      'advertise-client-urls': storage,
      'listen-peer-urls': peers,
      'initial-advertise-peer-urls': peers,
      'initial-cluster': `default=${peers}`,
      'unsafe-no-fsync': true,
    })
    kubernetes.#start('kube-apiserver', {
      'etcd-servers': storage,
      'bind-address': outside.ipv4,
      'secure-port': port,
      'endpoint-reconciler-type': 'none',
      'cert-dir': folder,
      'authorization-mode': 'RBAC',
      'token-auth-file': kubernetes.#write('tokens', `${kubernetes.token},operator,operator,system:masters\n`),
      'service-cluster-ip-range': '10.96.0.0/16',
      ...kubernetes.#accounts(),
    })
    const isUp = () =>
      kubernetes.get('/readyz').then(
        () => true,
        () => false,
      )
    await until(isUp, 'the API of Kubernetes answers')
    return kubernetes
  }

  /** Starts the controllers of the cloud, for servers in a network, with Load Balancers that reach them there. */
  control(network: string, location: string): void {
    const cluster = { name: 'lab', cluster: { server: this.url, 'insecure-skip-tls-verify': true } }
    const user = { name: 'operator', user: { token: this.token } }
    const context = { name: 'lab', context: { cluster: cluster.name, user: user.name } }
    const config = { clusters: [cluster], users: [user], contexts: [context], 'current-context': context.name }
    const flags = {
      'cloud-provider': 'hcloud',
      kubeconfig: this.#write('config', JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...config })),
      'allow-untagged-cloud': true,
      'leader-elect': false,
      'allocate-node-cidrs': true,
      'cluster-cidr': podRange,
      'bind-address': host,
      'webhook-bind-address': host,
    }
    this.#start('hcloud-cloud-controller-manager', flags, {
      ...endpointsAt(endpoint),
      HCLOUD_TOKEN: token,
      HCLOUD_NETWORK: network,
      // It runs on no server of the network, so that there is no metadata that says so.
      HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK: 'true',
      HCLOUD_LOAD_BALANCERS_LOCATION: location,
      HCLOUD_LOAD_BALANCERS_USE_PRIVATE_IP: 'true',
      HCLOUD_METRICS_ENABLED: 'false',
    })
  }

  get(path: string): Promise<Json> {
    return this.#call('GET', path)
  }

  post(path: string, body: object): Promise<Json> {
    return this.#call('POST', path, body)
  }

  patch(path: string, body: object): Promise<Json> {
    return this.#call('PATCH', path, body)
  }

  delete(path: string): Promise<Json> {
    return this.#call('DELETE', path)
  }

  /** Whether there is something. */
  async has(path: string): Promise<boolean> {
    return (await this.#ask('GET', path)).status !== 404
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.disposeAsync()
  }

  async #call(method: string, path: string, body?: object): Promise<Json> {
    const { status, body: said } = await this.#ask(method, path, body)
    if (status >= 400) throw new Error(`${method} ${path} was answered with ${status}: ${said}`)
    return said.startsWith('{') ? JSON.parse(said) : said
  }

  #ask(method: string, path: string, body?: object) {
    const headers = {
      authorization: `Bearer ${this.token}`,
      'content-type': contentTypes[method] ?? 'application/json',
    }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    return ask({ host: this.#address, port }, { method, path, headers, name: 'localhost', ...sent })
  }

  /** The keys for tokens of service accounts, which nobody here has. */
  #accounts(): Flags {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    return {
      'disable-admission-plugins': 'ServiceAccount',
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': this.#write('accounts.pub', publicKey),
      'service-account-signing-key-file': this.#write('accounts.key', privateKey),
    }
  }

  #write(name: string, text: string): string {
    const path = join(this.folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }

  /** Starts a program that goes on until all of them are ended. */
  #start(name: string, flags: Flags, env: Readonly<Record<string, string>> = {}): void {
    const log = openSync(join(this.folder, `${name}.log`), 'a')
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)
    const child = spawn(join(programs!, name), args, { cwd: this.folder, env, stdio: ['ignore', log, log] })
    closeSync(log)
    const ended = endOf(child)
    this.#running.defer(async () => {
      child.kill('SIGKILL')
      await ended
    })
  }
}
