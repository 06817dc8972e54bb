/** The forms of Load Balancers. */
import type { Life } from './life.ts'
import { form, nasty, on, remove, type Step, shared } from './steps.ts'

/** What the form of a service sends. */
const service = (protocol: 'http' | 'https' | 'tcp', own: object, check: object = {}) => ({
  protocol,
  proxyprotocol: false,
  ...own,
  health_check: {
    protocol: protocol === 'tcp' ? 'tcp' : 'http',
    port: 80,
    interval: 15,
    timeout: 10,
    retries: 3,
    ...(protocol === 'tcp'
      ? {}
      : { http: { domain: '', path: '/', status_codes: ['2??', '3??'], tls: false, ...check } }),
  },
})
const first = service(
  'http',
  { listen_port: 8080, destination_port: 80, http: { sticky_sessions: true } },
  { domain: 'www.example.com', path: `/it's$(id)?a=b`, response: nasty, status_codes: ['2??', '404'] },
)
const balancer = 'a balancer'

export const balancers: readonly Step[] = [
  form('load-balancers/new.tsx NewBalancerPage', (of) => ({
    operation: 'load_balancers_create',
    body: {
      name: balancer,
      load_balancer_type: 'lb11',
      location: 'hel1',
      algorithm: { type: 'round_robin' },
      services: [first],
      targets: [{ type: 'label_selector', label_selector: { selector: 'role=web,!old' }, use_private_ip: true }],
      network: of.id('networks', nasty),
      labels: { tier: 'front' },
    },
  })),
  ...shared('load_balancers', balancer),
  form('load-balancers/danger.tsx DangerTab', (of) =>
    on(of, 'load_balancers', balancer, 'changeProtection', { delete: true }),
  ),
  form('load-balancers/danger.tsx DangerTab', (of) =>
    on(of, 'load_balancers', balancer, 'changeProtection', { delete: false }),
  ),
  form('load-balancers/overview.tsx TypeDialog', (of) =>
    on(of, 'load_balancers', balancer, 'changeType', { load_balancer_type: 'lb21' }),
  ),
  form('load-balancers/overview.tsx AlgorithmDialog', (of) =>
    on(of, 'load_balancers', balancer, 'changeAlgorithm', { type: 'least_connections' }),
  ),
  ...['www.example.com', null].map((name) =>
    form('load-balancers/overview.tsx NameDialog', (of) =>
      on(of, 'load_balancers', balancer, 'changeDnsPtr', {
        ip: of.one('load_balancers', balancer).public_net.ipv4.ip,
        dns_ptr: name,
      }),
    ),
  ),
  form('load-balancers/service-dialog.tsx ServiceDialog', (of) =>
    on(of, 'load_balancers', balancer, 'addService', {
      ...service('https', {
        listen_port: 443,
        destination_port: 80,
        http: { sticky_sessions: false, redirect_http: true, certificates: [of.id('certificates', nasty)] },
      }),
    }),
  ),
  form('load-balancers/service-dialog.tsx ServiceDialog', (of) =>
    on(of, 'load_balancers', balancer, 'addService', {
      ...service('tcp', { listen_port: 5432, destination_port: 5432, proxyprotocol: true }),
    }),
  ),
  form('load-balancers/service-dialog.tsx ServiceDialog', (of) =>
    on(of, 'load_balancers', balancer, 'updateService', {
      ...service('http', { destination_port: 80, http: { sticky_sessions: false } }, { path: '/new', response: '' }),
      listen_port: 8080,
    }),
  ),
  form('load-balancers/services.tsx ServicesTab', (of) =>
    on(of, 'load_balancers', balancer, 'deleteService', { listen_port: 5432 }),
  ),
  form('load-balancers/targets.tsx AddDialog', (of) =>
    on(of, 'load_balancers', balancer, 'addTarget', {
      type: 'server',
      server: { id: of.id('servers', 'web-1') },
      use_private_ip: true,
    }),
  ),
  form('load-balancers/targets.tsx AddDialog', (of) =>
    on(of, 'load_balancers', balancer, 'addTarget', { type: 'ip', ip: { ip: '198.18.0.9' } }),
  ),
  ...[
    (of: Life) => ({ type: 'server', server: { id: of.id('servers', 'web-1') } }),
    () => ({ type: 'label_selector', label_selector: { selector: 'role=web,!old' } }),
    () => ({ type: 'ip', ip: { ip: '198.18.0.9' } }),
  ].map((target) =>
    form('load-balancers/targets.tsx TargetsTab', (of) =>
      on(of, 'load_balancers', balancer, 'removeTarget', target(of)),
    ),
  ),
  ...(['disable', 'enable'] as const).map((way) =>
    form('load-balancers/network.tsx Dialogs', (of) => on(of, 'load_balancers', balancer, `${way}PublicInterface`)),
  ),
  form('load-balancers/network.tsx Dialogs', (of) =>
    on(of, 'load_balancers', balancer, 'detachFromNetwork', { network: of.id('networks', nasty) }),
  ),
  form('shared/attach-dialog.tsx AttachDialog', (of) =>
    on(of, 'load_balancers', balancer, 'attachToNetwork', { network: of.id('networks', nasty), ip: '10.0.0.77' }),
  ),
  remove('load_balancers', balancer),
]
