/** Load Balancers for the hcloud command line. */
import {
  actionForms,
  type Forms,
  ignored,
  labelsOf,
  later,
  metricsQuery,
  noOption,
  ofMade,
  positional,
  protection,
  Refusal,
  reverseName,
  since,
  usual,
  type Words,
} from '../../commands/hcloud/forms.ts'
import { optionOf } from '../../commands/hcloud/options.ts'
import type { Contract } from './contract.ts'

const simple = (verb: string) => ({ words: ['load-balancer', verb, '{id}'], fields: {} })

/** Fields of an object as options; `undefined` in the table stands for what hcloud has no option for. */
function optionsOf(given: object, flags: Readonly<Record<string, string | undefined>>): Words {
  const words: string[] = []
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    const flag = flags[name]
    if (flag === undefined) return new Refusal('option', name)
    // Durations have a unit.
    const isDuration = /-(lifetime|interval|timeout)$/.test(flag)
    words.push(...optionOf(flag, isDuration ? `${value}s` : value))
  }
  return words
}

const http = (given: object): Words =>
  optionsOf(given, {
    cookie_name: '--http-cookie-name',
    cookie_lifetime: '--http-cookie-lifetime',
    certificates: '--http-certificates',
    redirect_http: '--http-redirect-http',
    sticky_sessions: '--http-sticky-sessions',
  })

function healthCheck({ http, ...given }: { readonly http?: object | null }): Words {
  const own = optionsOf(given, {
    protocol: '--health-check-protocol',
    port: '--health-check-port',
    interval: '--health-check-interval',
    timeout: '--health-check-timeout',
    retries: '--health-check-retries',
  })
  const more = optionsOf(http ?? {}, {
    domain: '--health-check-http-domain',
    path: '--health-check-http-path',
    response: '--health-check-http-response',
    status_codes: '--health-check-http-status-codes',
    tls: '--health-check-http-tls',
  })
  return own instanceof Refusal ? own : more instanceof Refusal ? more : [...asList(own), ...asList(more)]
}

/** The ports of services that do not name one. */
const usualPorts: Readonly<Record<string, number>> = { http: 80, https: 443 }

const asList = (words: Words) => words as readonly string[]

/** A target is given by what it is, so its type needs no option. */
const target = {
  type: ignored,
  server: ({ id }: { readonly id: number }): Words => ['--server', String(id)],
  label_selector: ({ selector }: { readonly selector: string }): Words => optionOf('--label-selector', selector),
  ip: ({ ip }: { readonly ip: string }): Words => ['--ip', ip],
}

export const hcloud: Forms<Contract> = {
  ...actionForms,
  ...usual('load-balancer'),
  create: {
    words: ['load-balancer', 'create'],
    fields: {
      name: '--name',
      load_balancer_type: '--type',
      location: '--location',
      network_zone: '--network-zone',
      algorithm: ({ type }) => ['--algorithm-type', type],
      services: later,
      targets: later,
      labels: '--label',
      public_interface: later,
      network: later,
      public_net: (net) => (net.ipv4 || net.ipv6 ? noOption : []),
    },
    // Targets with private addresses need the network, and without a public interface there has to be one.
    rest: ({ body: { name, services, targets, network, public_interface } }) =>
      ofMade(name, [
        ...(network ? [{ operation: 'load_balancers_attachToNetwork', body: { network } }] : []),
        ...(services ?? []).map((body) => ({ operation: 'load_balancers_addService', body })),
        ...(targets ?? []).map((body) => ({ operation: 'load_balancers_addTarget', body })),
        ...(public_interface === false ? [{ operation: 'load_balancers_disablePublicInterface' }] : []),
      ]),
  },
  update: {
    words: ['load-balancer', 'update', '{id}'],
    fields: { name: '--name', labels: labelsOf('load-balancer') },
  },
  changeAlgorithm: {
    words: ['load-balancer', 'change-algorithm', '{id}'],
    fields: { type: '--algorithm-type' },
  },
  changeType: { words: ['load-balancer', 'change-type', '{id}'], fields: { load_balancer_type: positional } },
  enablePublicInterface: simple('enable-public-interface'),
  disablePublicInterface: simple('disable-public-interface'),
  changeProtection: { words: [], fields: protection('load-balancer', ['delete']) },
  addService: {
    words: ['load-balancer', 'add-service', '{id}'],
    fields: {
      protocol: '--protocol',
      listen_port: '--listen-port',
      destination_port: '--destination-port',
      proxyprotocol: '--proxy-protocol',
      http,
      health_check: later,
    },
    // Only newer versions have options for it here.
    rest: ({ body: { protocol, listen_port, health_check }, params }) => {
      if (!Object.values(health_check ?? {}).some((value) => value !== null && value !== undefined)) return []
      const port = listen_port ?? usualPorts[protocol]
      return [{ operation: 'load_balancers_updateService', params, body: { listen_port: port, health_check } }]
    },
  },
  updateService: {
    words: ['load-balancer', 'update-service', '{id}'],
    fields: {
      protocol: '--protocol',
      listen_port: '--listen-port',
      destination_port: '--destination-port',
      proxyprotocol: '--proxy-protocol',
      http,
      health_check: healthCheck,
    },
  },
  deleteService: { words: ['load-balancer', 'delete-service', '{id}'], fields: { listen_port: '--listen-port' } },
  addTarget: {
    words: ['load-balancer', 'add-target', '{id}'],
    fields: { ...target, use_private_ip: (value) => (value ? ['--use-private-ip'] : []) },
  },
  removeTarget: {
    words: ['load-balancer', 'remove-target', '{id}'],
    fields: { ...target, use_private_ip: ignored },
  },
  attachToNetwork: {
    words: ['load-balancer', 'attach-to-network', '{id}'],
    fields: { network: '--network', ip: '--ip', ip_range: since(55, '--ip-range') },
  },
  detachFromNetwork: { words: ['load-balancer', 'detach-from-network', '{id}'], fields: { network: '--network' } },
  changeDnsPtr: { words: ['load-balancer', 'set-rdns', '{id}'], fields: reverseName },
  metrics: { words: ['load-balancer', 'metrics', '{id}'], fields: {}, query: metricsQuery },
}
