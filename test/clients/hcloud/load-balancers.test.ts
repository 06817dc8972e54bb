/** The hcloud command line with Load Balancers: their services, targets, networks, names and measurements. */
import { selfSigned } from '../../kit/samples/certificates.ts'
import {
  deletes,
  leavesNothing,
  lists,
  makesServer,
  measures,
  misused,
  refused,
  type Story,
  shows,
  since,
  tells,
  withCatalogue,
  works,
} from './hcloud.ts'

const makesBalancer = works('load-balancer create --name lb --type lb11 --location hel1')
const { certificate, private_key } = selfSigned('www.example.com')

/** What a service is when a request says its ports alone. */
const tcp = { protocol: 'tcp', proxyprotocol: false }
const check = { interval: 15, timeout: 10, retries: 3 }
const http = { cookie_name: 'HCLBSTICKY', cookie_lifetime: 300, certificates: [], redirect_http: false }
const httpCheck = { domain: '', path: '/', response: '', status_codes: ['2??', '3??'], tls: false }

const standing: Story = {
  title: 'makes, names, labels and protects a Load Balancer',
  steps: [
    works(
      'load-balancer create --name lb --type lb11 --location hel1 --label tier=front',
      /Load ?Balancer \d+ created/,
      'IPv4: {load-balancer lb public_net.ipv4.ip}',
      'IPv6: {load-balancer lb public_net.ipv6.ip}',
    ),
    shows('load-balancer lb', {
      public_net: { enabled: true },
      private_net: [],
      load_balancer_type: { id: 1, max_connections: 10_000, max_services: 5, max_targets: 25 },
      algorithm: { type: 'round_robin' },
      services: [],
      targets: [],
    }),
    works('load-balancer list', /\d+ lb (healthy )?192\.0\.2\.1 \S+ lb11 hel1 eu-central/),
    works(
      'load-balancer describe lb',
      'Algorithm: round_robin',
      /IPv4 DNS PTR: \S+\.\S+ IPv6: /,
      /IPv6 DNS PTR: (Private Net|Load Balancer Type|No)/,
      'No Private Network',
      'Max Connections: 10000',
      'Max Targets: 25',
      'Max assigned Certificates: 10',
      'No services',
      'No targets',
      /Outgoing: 0 B In?going: 0 B Included: 20 TiB/,
      'tier: front',
    ),
    works('load-balancer add-label lb stage=test', /label(\(s\))? stage added to load balancer/i),
    works('load-balancer remove-label lb tier', /label(\(s\))? tier removed from Load Balancer/i),
    works('load-balancer update lb --name entry', /Load Balancer \S+ updated/),
    lists('load-balancer list -l stage=test', ['entry']),
    refused('load-balancer create --name entry --type lb11 --location hel1', 'uniqueness_error', /already used/),
    works('load-balancer enable-protection entry delete', /protection enabled (for )?load balancer \d+/i),
    misused('load-balancer enable-protection entry rebuild', /unknown protection level: rebuild/),
    refused('load-balancer delete entry', 'protected', 'Load Balancer deletion is protected'),
    works('load-balancer disable-protection entry delete', /protection disabled for load balancer \d+/i),
    works('load-balancer delete entry', /load balancer \S+ deleted/i),
  ],
}

const shape: Story = {
  title: 'changes the type, the algorithm and the names of a Load Balancer',
  steps: [
    works('load-balancer create --name lb --type lb11 --network-zone eu-central --algorithm-type least_connections'),
    shows('load-balancer lb', { location: { network_zone: 'eu-central' }, algorithm: { type: 'least_connections' } }),
    works('load-balancer change-algorithm lb --algorithm-type round_robin', 'Algorithm for Load Balancer'),
    refused(
      'load-balancer change-algorithm lb --algorithm-type fast',
      'invalid_input',
      "invalid input in field 'type'",
    ),
    works('load-balancer change-type lb lb11', /Load ?Balancer \S+ changed to type lb11/),
    works('load-balancer change-type lb lb21'),
    shows('load-balancer lb', { algorithm: { type: 'round_robin' }, load_balancer_type: { name: 'lb21' } }),
    works('load-balancer set-rdns lb --hostname www.example.com', /Reverse DNS of Load Balancer lb changed/i),
    works('load-balancer set-rdns lb --ip {load-balancer lb public_net.ipv6.ip} --hostname six.example.com'),
    shows('load-balancer lb', {
      public_net: { ipv4: { dns_ptr: 'www.example.com' }, ipv6: { dns_ptr: 'six.example.com' } },
    }),
    refused('load-balancer set-rdns lb --ip 198.51.100.1 --hostname x.example.com', 'invalid_input', /'ip'/),
    since(
      39,
      works('load-balancer create --name kept --type 1 --location hel1 --enable-protection delete'),
      shows('load-balancer kept', { protection: { delete: true } }),
      works('load-balancer disable-protection kept delete'),
      deletes('load-balancer', 'kept'),
    ),
    deletes('load-balancer', 'lb'),
  ],
}

const services: Story = {
  title: 'adds, changes and deletes services',
  files: { 'cert.pem': certificate, 'key.pem': private_key },
  steps: [
    makesBalancer,
    works('certificate create --name web --cert-file cert.pem --key-file key.pem'),
    works('load-balancer add-service lb --protocol tcp --listen-port 22 --destination-port 2222 --proxy-protocol'),
    works('load-balancer add-service lb --protocol http --listen-port 80', 'Service was added to Load Balancer'),
    works(
      'load-balancer add-service lb --protocol https --http-certificates {certificate web} --http-sticky-sessions ' +
        '--http-cookie-name keks --http-cookie-lifetime 60s --listen-port 443 --destination-port 8080',
    ),
    shows('load-balancer lb', {
      services: [
        { ...tcp, proxyprotocol: true, listen_port: 22, health_check: { ...check, protocol: 'tcp', port: 2222 } },
        {
          ...{ protocol: 'http', listen_port: 80, destination_port: 80, http: { ...http, timeout_idle: 50 } },
          health_check: { ...check, protocol: 'http', port: 80, http: httpCheck },
        },
        {
          protocol: 'https',
          http: {
            cookie_name: 'keks',
            cookie_lifetime: 60,
            certificates: ['{certificate web}'],
            sticky_sessions: true,
          },
        },
      ],
    }),
    shows('certificate web', { used_by: [{ id: '{load-balancer lb}', type: 'load_balancer' }] }),
    refused('certificate delete web', 'service_error', 'certificate still in use'),
    refused('load-balancer add-service lb --protocol http --listen-port 80', 'source_port_already_used'),
    works(
      'load-balancer update-service lb --listen-port 80 --destination-port 8080 --health-check-http-path /up ' +
        '--health-check-http-status-codes 204 --health-check-interval 20s --health-check-retries 5',
      /service \S+ (on|of) load balancer \S+ was updated/i,
    ),
    works('load-balancer update-service lb --listen-port 22 --proxy-protocol=false --health-check-port 22'),
    works('load-balancer update-service lb --listen-port 443 --http-sticky-sessions=false --http-redirect-http=false'),
    shows('load-balancer lb', {
      services: [
        { proxyprotocol: false, health_check: { ...check, protocol: 'tcp', port: 22 } },
        {
          destination_port: 8080,
          health_check: {
            ...{ protocol: 'http', port: 80, interval: 20, timeout: 10, retries: 5 },
            http: { ...httpCheck, path: '/up', status_codes: ['204'] },
          },
        },
        { http: { sticky_sessions: false, certificates: ['{certificate web}'] } },
      ],
    }),
    works('load-balancer update-service lb --listen-port 22 --protocol http'),
    shows('load-balancer lb', {
      services: [
        { protocol: 'http', health_check: { protocol: 'tcp' }, http },
        { listen_port: 80 },
        { listen_port: 443 },
      ],
    }),
    since(
      65,
      works('load-balancer update-service lb --listen-port 80 --http-timeout-idle 60s'),
      works('load-balancer add-service lb --protocol https --listen-port 8443 --http-certificates web'),
      shows('load-balancer lb', {
        services: [
          { proxyprotocol: false },
          { http: { timeout_idle: 60 } },
          { proxyprotocol: false },
          { destination_port: 80 },
        ],
      }),
      works('load-balancer delete-service lb --listen-port 8443'),
    ),
    works('load-balancer describe lb', 'Protocol: https', 'Certificates:', 'Health Check:', /Status Codes: ?\[204\]/i),
    refused('load-balancer update-service lb --listen-port 81 --protocol tcp', 'invalid_input', /'listen_port'/),
    works('load-balancer delete-service lb --listen-port 443', /service on port 443 deleted from load balancer/i),
    shows('certificate web', { used_by: [] }),
    deletes('load-balancer', 'lb'),
    deletes('certificate', 'web'),
  ],
}

const targets: Story = {
  title: 'adds targets over public and private networks, and removes them',
  steps: [
    makesBalancer,
    works('load-balancer add-service lb --protocol tcp --listen-port 80 --destination-port 80'),
    makesServer('one', '--label tier=web'),
    works('load-balancer add-target lb --server one', /target added to load balancer/i),
    refused('load-balancer add-target lb --server one', 'target_already_defined'),
    works('load-balancer add-target lb --label-selector tier=web'),
    works('load-balancer add-target lb --ip 198.18.0.7'),
    refused('load-balancer add-target lb --ip 8.8.8.8', 'ip_not_owned'),
    refused('load-balancer add-target lb --ip {server one public_net.ipv4.ip}', 'cloud_resource_ip_not_allowed'),
    refused(
      'load-balancer add-target lb --label-selector tier=x --use-private-ip',
      'load_balancer_not_attached_to_network',
      'load balancer is not attached to a network',
    ),
    misused('load-balancer add-target lb --server nowhere', /server not found: nowhere/i),
    misused('load-balancer add-target lb', /specify one of|mutually exclusive/),
    shows('load-balancer lb', {
      targets: [
        {
          type: 'server',
          server: { id: '{server one}' },
          use_private_ip: false,
          health_status: [{ listen_port: 80, status: 'healthy' }],
        },
        { type: 'label_selector', label_selector: { selector: 'tier=web' }, targets: [{ type: 'server' }] },
        { type: 'ip', ip: { ip: '198.18.0.7' } },
      ],
    }),
    works('load-balancer describe lb --expand-targets', 'Type: server', /healthy/, 'IP: 198.18.0.7', 'tier=web'),
    works('load-balancer remove-target lb --server one', /target removed from load balancer/i),
    works('load-balancer remove-target lb --label-selector tier=web'),
    works('load-balancer remove-target lb --ip 198.18.0.7'),
    refused('load-balancer remove-target lb --server one', 'load_balancer_target_not_found', /target not found/),
    shows('load-balancer lb', { targets: [] }),
    deletes('server', 'one'),
    deletes('load-balancer', 'lb'),
  ],
}

const networks: Story = {
  title: 'serves a network alone',
  steps: [
    works('network create --name net --ip-range 10.0.0.0/16'),
    makesBalancer,
    refused('load-balancer disable-public-interface lb', 'load_balancer_not_attached_to_network'),
    works('load-balancer enable-public-interface lb', /Public interface of Load Balancer \S+ was enabled/),
    works('network add-subnet net --type cloud --network-zone eu-central --ip-range 10.0.1.0/24'),
    works('load-balancer attach-to-network lb --network net --ip 10.0.1.9', /Load Balancer \S+ attached to Network/i),
    refused('load-balancer attach-to-network lb --network net', 'load_balancer_already_attached'),
    shows('load-balancer lb', { private_net: [{ network: '{network net}', ip: '10.0.1.9' }] }),
    shows('network net', { load_balancers: ['{load-balancer lb}'] }),
    works('load-balancer disable-public-interface lb', /Public interface of Load Balancer \S+ was disabled/),
    makesServer('one', '--network net --label tier=web'),
    makesServer('two'),
    ...['--server one', '--label-selector tier=web'].map((target) =>
      refused(
        `load-balancer add-target lb ${target}`,
        'load_balancer_public_interface_disabled',
        'load balancer public interface is disabled, cannot add target using public IP',
      ),
    ),
    works('load-balancer add-target lb --server one --use-private-ip'),
    works('load-balancer add-target lb --label-selector tier=web --use-private-ip'),
    refused('load-balancer add-target lb --server two --use-private-ip', 'server_not_attached_to_network'),
    shows('load-balancer lb', {
      public_net: { enabled: false },
      targets: [
        { type: 'server', use_private_ip: true },
        { type: 'label_selector', use_private_ip: true },
      ],
    }),
    works('load-balancer detach-from-network lb --network net', /detached from Network/i),
    shows('load-balancer lb', { private_net: [], targets: [] }),
    refused('load-balancer detach-from-network lb --network net', 'not_found', /not attached/),
    deletes('load-balancer', 'lb'),
    since(
      55,
      works('load-balancer create --name lb --type lb11 --location hel1 --network net'),
      shows('load-balancer lb', { private_net: [{ network: '{network net}' }] }),
      works('load-balancer detach-from-network lb --network net'),
      works('load-balancer attach-to-network lb --network net --ip-range 10.0.1.0/24'),
      deletes('load-balancer', 'lb'),
    ),
    deletes('server', 'one', 'two'),
    deletes('network', 'net'),
  ],
}

const metrics: Story = {
  title: 'shows what was measured of a Load Balancer',
  steps: [
    makesBalancer,
    ...['open_connections', 'connections_per_second', 'requests_per_second'].map((type) =>
      measures('load-balancer', 'lb', type, [type]),
    ),
    measures('load-balancer', 'lb', 'bandwidth', ['bandwidth.in', 'bandwidth.out']),
    misused('load-balancer metrics lb --type heat', /invalid input in field 'type'|invalid metric type: heat/),
    misused('load-balancer metrics lb --type bandwidth --start never', /start date has an invalid format/),
    deletes('load-balancer', 'lb'),
  ],
}

const external_addresses = [{ project: 'default', ip_range: '198.18.0.0/24' }]

await tells(
  import.meta.filename,
  [
    ...[standing, shape, services, targets, networks, metrics],
    leavesNothing('load-balancer', 'server', 'network', 'certificate'),
  ],
  [withCatalogue({ external_addresses })],
)
