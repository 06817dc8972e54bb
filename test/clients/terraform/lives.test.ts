/** Terraform with the real provider leads the resources of every family through their lives. */
import { it } from 'node:test'
import { selfSigned } from '../../kit/samples/certificates.ts'
import { publicKey } from '../kit/clients.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { describeTerraform, type Life, leads } from './terraform.ts'

const key = publicKey()
const certificate = selfSigned('www.example.com')
const server = {
  name: 'main',
  server_type: 'cx23',
  image: 'debian-12',
  keep_disk: false,
  backups: false,
  protected: true,
  labels: {},
  public_key: publicKey(),
}

/** The life of each configuration in the folder `configurations`. */
const lives: Readonly<Record<string, Life>> = {
  'ssh-keys': {
    before: { name: 'laptop', public_key: key, labels: { owner: 'somebody' } },
    after: { name: 'desktop', public_key: key, labels: {} },
    change: { changed: 1 },
  },
  certificates: {
    before: { name: 'first', ...certificate, labels: { owner: 'somebody' } },
    after: { name: 'second', ...selfSigned('www.example.org'), labels: {} },
    change: { added: 1, destroyed: 1 },
  },
  'placement-groups': {
    before: { name: 'spread', labels: {} },
    after: { name: 'wide', labels: { owner: 'somebody' } },
    change: { changed: 1 },
  },
  firewalls: {
    before: { ports: ['22', '80-90'], description: 'office', attached_name: 'attached' },
    after: { ports: ['443'], description: 'everybody', attached_name: 'renamed' },
    change: { changed: 2 },
  },
  volumes: {
    before: { name: 'first', size: 10, protected: true, host: 'volumes-1' },
    after: { name: 'second', size: 20, protected: false, host: 'volumes-2' },
    change: { added: 2, changed: 3, destroyed: 2 },
  },
  'storage-boxes': {
    before: {
      ...{ name: 'first', type: 'bx11', password: 'Sturdy-Box-2026!', protected: true, ssh: true, day: 3 },
      ...{ description: 'before', home: 'teams' },
    },
    after: {
      ...{ name: 'second', type: 'bx21', password: 'Another-Box-2027!', protected: false, ssh: false, day: 5 },
      ...{ description: 'after', home: 'people' },
    },
    // Passwords are told to nobody, so that they are given anew.
    importing: { changed: 6 },
    change: { changed: 8 },
  },
  networks: {
    before: {
      name: 'backend',
      exposed: false,
      protected: true,
      subnets: { '10.0.1.0/24': 'eu-central', '10.0.2.0/24': 'us-east' },
      routes: { '10.100.1.0/24': '10.0.1.2' },
    },
    after: {
      name: 'behind',
      exposed: true,
      protected: false,
      subnets: { '10.0.1.0/24': 'eu-central', '10.0.3.0/24': 'eu-central' },
      routes: { '10.100.1.0/24': '10.0.1.9', '0.0.0.0/0': '10.0.1.2' },
    },
    change: { added: 3, changed: 1, destroyed: 2 },
  },
  'server-networks': {
    before: { alias_ips: ['10.0.1.100'], inline_ip: '10.0.1.10', joined_ip: '10.0.2.10' },
    after: { alias_ips: ['10.0.1.101', '10.0.1.102'], inline_ip: '10.0.1.11', joined_ip: '10.0.2.11' },
    // Inline networks of an imported server are unknown at first.
    importing: { changed: 2 },
    change: { added: 1, changed: 2, destroyed: 1 },
  },
  'primary-ips': {
    before: { name: 'first', protected: true },
    after: { name: 'second', protected: false },
    change: { changed: 3 },
  },
  'public-addresses': {
    before: { ipv4: 'public-1', ipv6: true },
    after: { ipv4: 'public-2', ipv6: false },
    // The provider would delete the addresses of an imported server.
    importing: 'never',
    change: { changed: 2 },
  },
  'floating-ips': {
    before: { description: 'first', protected: true, server: 'floating-1' },
    after: { description: 'second', protected: false, server: 'floating-2' },
    change: { changed: 3 },
  },
  'load-balancers': {
    before: {
      ...{ name: 'first', type: 'lb11', algorithm: 'round_robin', domain: 'example.com', ...certificate },
      ...{ protected: true, exposed: true, sticky: true, front: 'tcp', ip: '10.0.1.5' },
    },
    after: {
      ...{ name: 'second', type: 'lb21', algorithm: 'least_connections', domain: 'example.org' },
      ...selfSigned('www.example.org'),
      ...{ protected: false, exposed: false, sticky: false, front: 'http', ip: '10.0.1.6' },
    },
    // Another certificate, another place in the network with the target there, and another protocol on a port.
    change: { added: 4, changed: 5, destroyed: 4 },
  },
  snapshots: {
    before: { description: 'first', labels: {} },
    after: { description: 'second', labels: { owner: 'somebody' } },
    change: { changed: 1 },
  },
  'reverse-names': {
    before: { domain: 'example.com' },
    after: { domain: 'example.org' },
    change: { changed: 4 },
  },
  zones: {
    before: { ttl: 3600, address: '192.0.2.1', comment: 'first', protected: true },
    after: { ttl: 7200, address: '192.0.2.2', comment: 'second', protected: false },
    // Records are imported by identity, which Terraform 1.11 does not know.
    importing: 'never',
    change: { changed: 7 },
  },
  replacements: {
    before: { image: 'debian-12', range: '10.0.0.0/16', volumes: 4 },
    after: { image: 'debian-13', range: '10.1.0.0/16', volumes: 4 },
    // Inline networks of an imported server are unknown at first.
    importing: { changed: 1 },
    change: { added: 12, changed: 5, destroyed: 12 },
  },
  servers: {
    before: { ...server, user_data: null, rescue: null, iso: null },
    after: {
      ...server,
      name: 'renamed',
      server_type: 'cx33',
      image: 'debian-13',
      user_data: '#!/bin/sh\n',
      keep_disk: true,
      backups: true,
      rescue: 'linux64',
      iso: 'systemrescue-12.02-amd64.iso',
      protected: false,
      labels: { owner: 'somebody' },
    },
    // How a server shall boot and be deleted is known to Terraform only.
    importing: { changed: 2 },
    change: { added: 1, changed: 2, destroyed: 1 },
  },
}

describeTerraform('Terraform', (cloud) => {
  for (const [name, life] of Object.entries(lives)) {
    it(`applies, imports, changes and destroys ${name.replace('-', ' ')}`, async () => {
      const workspace = cloud().open(name)
      workspace.take(name)
      await leads(workspace, life)
    })
  }
})

drivesWhatIsSaid(import.meta.filename)
