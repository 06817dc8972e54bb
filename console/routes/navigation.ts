/** The navigation of a Project: which pages it leads to, how many things are there, and by which keys. */
import { defineNavigation } from '../shell/navigation.ts'
import { shell } from '../words/en/shell.ts'
import { wordsOf } from '../words/words.ts'

const words = wordsOf('shell', shell)
const w = words.navigation

defineNavigation([
  {
    entries: [
      { to: '/projects/$project', label: w.overview, icon: 'overview', keys: 'G O' },
      { to: '/projects/$project/servers', label: w.servers, icon: 'server', counts: 'servers_list', keys: 'G S' },
      {
        to: '/projects/$project/firewalls',
        label: w.firewalls,
        icon: 'firewall',
        counts: 'firewalls_list',
        keys: 'G F',
      },
      { to: '/projects/$project/reach', label: w.reach, icon: 'eye', keys: 'G W' },
      {
        to: '/projects/$project/floating-ips',
        label: w.floatingIps,
        icon: 'ip',
        counts: 'floating_ips_list',
        keys: 'G D',
      },
      {
        to: '/projects/$project/primary-ips',
        label: w.primaryIps,
        icon: 'primary',
        counts: 'primary_ips_list',
        keys: 'G P',
      },
      {
        to: '/projects/$project/load-balancers',
        label: w.balancers,
        icon: 'balance',
        counts: 'load_balancers_list',
        keys: 'G L',
      },
      { to: '/projects/$project/volumes', label: w.volumes, icon: 'volume', counts: 'volumes_list', keys: 'G V' },
      { to: '/projects/$project/networks', label: w.networks, icon: 'network', counts: 'networks_list', keys: 'G N' },
      { to: '/projects/$project/images', label: w.images, icon: 'image', counts: 'images_list', keys: 'G I' },
      {
        to: '/projects/$project/certificates',
        label: w.certificates,
        icon: 'cert',
        counts: 'certificates_list',
        keys: 'G C',
      },
      { to: '/projects/$project/zones', label: w.zones, icon: 'zone', counts: 'zones_list', keys: 'G Z' },
      {
        to: '/projects/$project/placement-groups',
        label: w.placementGroups,
        icon: 'spread',
        counts: 'placement_groups_list',
        keys: 'G B',
      },
    ],
  },
  {
    title: w.security,
    entries: [
      { to: '/projects/$project/security/tokens', label: w.tokens, icon: 'token', keys: 'G T' },
      { to: '/projects/$project/security/ssh-keys', label: w.keys, icon: 'key', counts: 'ssh_keys_list', keys: 'G K' },
      { to: '/projects/$project/security/members', label: w.members, icon: 'people', keys: 'G M' },
      { to: '/projects/$project/security/audit', label: w.audit, icon: 'report', keys: 'G U' },
    ],
  },
  {
    title: words.project,
    entries: [
      { to: '/projects/$project/activity', label: w.activity, icon: 'activity', keys: 'G A' },
      { to: '/projects/$project/settings', label: w.settings, icon: 'settings', keys: 'G E' },
      { to: '/projects/$project/raw', label: w.raw, icon: 'terminal', keys: 'G R' },
    ],
  },
])
