import { assertNames } from '../../../../test/kit/refusals.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { actionRows, type SpecRows } from '../../../../test/walks/spec/rows.ts'
import { command, makeBalancer } from './samples.ts'

const section = 'Load Balancers'

export const spec: SpecRows = {
  endpoints: actionRows(section, 'load_balancers', 0),
  fields: [
    {
      resource: 'Load Balancer',
      at: 'load_balancers.get',
      key: 'load_balancer',
      fields: {
        id: 'integer',
        name: 'string',
        public_net: 'object',
        private_net: 'array',
        location: 'object',
        load_balancer_type: 'object',
        protection: 'object',
        labels: 'object',
        created: 'timestamp',
        services: 'array',
        targets: 'array',
        algorithm: 'object',
        outgoing_traffic: 'integer or null',
        ingoing_traffic: 'integer or null',
        included_traffic: 'integer',
      },
    },
  ],
  codes: [
    {
      operation: 'POST /load_balancers/{id}/actions/add_target with public target while public interface disabled',
      at: 'load_balancers.addTarget',
      codes: [{ code: 'load_balancer_public_interface_disabled', status: 422 }],
    },
    {
      operation: 'POST /load_balancers (Primary IP assignment)',
      at: 'load_balancers.create',
      codes: [
        // The spec says 400 of this one; what is wrong in a body is 422 everywhere here.
        { code: 'invalid_input', status: 422 },
        { code: 'resource_limit_exceeded', status: 403 },
        { code: 'not_found', status: 404 },
        { code: 'primary_ip_version_mismatch', status: 412 },
        { code: 'primary_ip_assigned', status: 422 },
        { code: 'primary_ip_location_mismatch', status: 422 },
      ],
      unused: { primary_ip_blocked: 'no Primary IP is ever blocked' },
    },
  ],
  limits: [
    {
      limit: 'Load balancer HTTP/HTTPS service idle timeout (`http.timeout_idle`)',
      async check(open) {
        const world = await open()
        const id = await makeBalancer(world, { services: [{ protocol: 'http' }] })
        const set = (timeout_idle: number) =>
          command(world.api, id, 'update_service', { listen_port: 80, http: { timeout_idle } })
        for (const bound of [30, 300]) {
          expect(await set(bound), 201)
          await world.settle()
        }
        for (const beyond of [29, 301]) assertNames(await set(beyond), 'http.timeout_idle')
      },
    },
  ],
  sentences: [
    {
      section: 'Load Balancer',
      says: 'New ones have the documented fields with their defaults, and everything that the request asks for',
      tests: [
        'load-balancers.test.ts: one that is asked for by name, type and place has exactly the documented fields with their defaults',
        'load-balancers.test.ts: everything that a request asks for is there at once, and in force when the action has succeeded',
      ],
    },
    {
      section: 'Load Balancer',
      says: 'Target health has an entry for each service; its cause is there only while a target is unhealthy',
      tests: [
        'health.test.ts: is unknown at first, one entry for each service, and follows the power of the server',
        'health.test.ts: follows the packet filter in front of public addresses, and not within a network',
        'health.test.ts: has the cause only while a target is unhealthy, and a status only with an unexpected one',
        'health.test.ts: is unknown while the data plane does not answer',
      ],
    },
    {
      section: 'Load Balancer',
      says: 'Addresses have reverse names, a default for IPv4 and none for IPv6, which the name server tells',
      tests: [
        'addresses.test.ts: have reverse names that the name server answers with: a default for IPv4, none for IPv6',
        'addresses.test.ts: are named exactly, and take names as those of others do',
      ],
    },
    {
      section,
      says: 'Services have the documented defaults by protocol; an update changes what it names and nothing else',
      tests: [
        'services.test.ts: by tcp it needs both ports, and has a health check by tcp and nothing about HTTP',
        'services.test.ts: by http and https it has all defaults, https the port 443 and a certificate',
        'services.test.ts: what a request names is taken, null counts as left out, and the domain of a check may be null',
        'services.test.ts: an update changes what it names, within the health check too, and nothing else',
        'services.test.ts: from tcp to http it gets what is about HTTP and keeps its health check, and back it loses it',
        'services.test.ts: from https to http it loses its certificates and its redirect',
        'services.test.ts: bounds hold on both sides, and the field that breaks one is named',
      ],
    },
    {
      section,
      says: 'A port has one service; certificates are those of the Project and in use by the Load Balancer',
      tests: [
        'services.test.ts: a port has one service, and one that redirects HTTP has the port 80 as well',
        'services.test.ts: its certificates are those of the Project, each once, and are in use as long as it names them',
        'following.test.ts: their certificates: one that is issued later is served then',
      ],
    },
    {
      section,
      says: 'Services, targets and certificates are as many as the type allows, also when the type changes',
      tests: [
        'services.test.ts: there are as many as the type allows, with as many certificates',
        'targets.test.ts: there are as many as the type allows, and one address gets traffic once',
        'load-balancers.test.ts: the type changes to the same and to any that what is there fits in',
      ],
    },
    {
      section,
      says: 'Targets are servers, label selectors and addresses outside of the cloud, each once',
      tests: [
        'targets.test.ts: a server is reached by its public IPv4 address, and shows which Load Balancers it is a target of',
        'targets.test.ts: a server is reached by its address in the network of the Load Balancer when that is asked for',
        'targets.test.ts: a label selector stands for the servers that it matches, of which there may be none',
        'targets.test.ts: an address outside of the cloud is a target for the Project that owns it, and has no use_private_ip',
        'targets.test.ts: a private address is a target when a vSwitch of the network of the Load Balancer leads to it',
        'targets.test.ts: a target is there once, however it is written, and what is not there cannot be removed',
        'targets.test.ts: what a Load Balancer cannot reach is refused, when it is added and with the creation',
        'targets.test.ts: a server that the Project does not have, and a target that is none, are invalid input',
      ],
    },
    {
      section,
      says: 'Targets follow servers, labels, addresses and networks',
      tests: [
        'following.test.ts: the labels of servers, and new servers',
        'following.test.ts: the deletion of servers, by themselves and by selectors',
        'following.test.ts: the deletion of their network, with which targets in it go and others stay',
        'following.test.ts: servers that leave their network, which are no targets there any more',
        'following.test.ts: a matched server that gets its IPv4 address later',
        'following.test.ts: the IPv4 address of a server that is a public target, which cannot be taken away',
        'failures.test.ts: that could not follow a server does so as soon as that can be done',
      ],
    },
    {
      section,
      says: 'A Load Balancer is in one network at most, with which its private targets go, and is listed as a member',
      tests: [
        'places.test.ts: get the lowest free address, or the one or the subnet that they name',
        'places.test.ts: are in one at most',
        'places.test.ts: lose with their network what they reach there, keep the rest, and their address is free again',
        'places.test.ts: are listed as members beside servers, with what is being done with them',
        'places.test.ts: keep their subnet from being deleted, and count among the members that a network may have',
      ],
    },
    {
      section,
      says: 'Without the public interface the addresses stay, and public targets are refused',
      tests: [
        'load-balancers.test.ts: without its public interface it keeps its addresses and listens in its network alone',
        'targets.test.ts: what a Load Balancer cannot reach is refused, when it is added and with the creation',
      ],
    },
    {
      section,
      says: 'public_net takes Primary IPs, which stay for the life of the Load Balancer; what is left out is made',
      tests: [
        'addresses.test.ts: are those that the creation names, and keep their names',
        'addresses.test.ts: stay with it for its whole life, and then go or stay as auto_delete says',
        'addresses.test.ts: that it cannot have are refused, each with its code',
      ],
    },
    {
      section,
      says: 'Deleting one answers with delete_load_balancer and releases what it had; a protected one stays',
      tests: [
        'failures.test.ts: that is deleted is gone at once, with all that hung on it, and its action says when it carries nothing',
        'failures.test.ts: that the data plane did not remove is removed as soon as that can be done',
        'addresses.test.ts: are released with the Load Balancer, and rest before anybody gets them',
        'load-balancers.test.ts: one that is protected is not deleted until it is protected no longer',
      ],
    },
    {
      section,
      says: 'A change that fails is taken back, and one during another is conflict',
      tests: [
        'failures.test.ts: is after a change that failed what it was before, and can be changed again',
        'failures.test.ts: that cannot be made leaves nothing behind, and Primary IPs as they were',
        'failures.test.ts: answers conflict to a change and to its deletion during another change, and to nothing else',
        'failures.test.ts: has all of several targets that are added at once, each on its own when it is told to repeat',
        'failures.test.ts: fails to go back to what the data plane refuses as well, and gets there as soon as that can be done',
      ],
    },
    {
      section,
      says: 'Measurements are those of the asked kinds and times',
      tests: [
        'metrics.test.ts: begin with its life, follow what it does, and are the same whenever they are read',
        'metrics.test.ts: have the series of each kind that is asked for, repeated or with commas',
        'metrics.test.ts: need kinds and times that there are, and a Load Balancer of the Project',
      ],
    },
  ],
}
