/** The hcloud command line with snapshots and backups of servers, and what the installation offers. */
import assert from 'node:assert/strict'
import {
  deletes,
  described,
  type Hcloud,
  type Json,
  leavesNothing,
  lists,
  makesServer,
  misused,
  refused,
  type Step,
  type Story,
  shows,
  since,
  succeeds,
  tells,
  until,
  works,
} from './hcloud.ts'

/** The ids of images of a type, oldest first. */
async function images(hcloud: Hcloud, type: string): Promise<number[]> {
  const found: Json[] = JSON.parse(await succeeds(hcloud, `image list --type ${type} -o json`)) ?? []
  return found.map(({ id }) => id)
}

/** Runs steps that speak of the newest image of a type as IMAGE. */
const withNewest =
  (type: string, steps: (image: number) => readonly Step[]): Step =>
  async (hcloud) => {
    const newest = (await images(hcloud, type)).at(-1)
    assert.ok(newest !== undefined)
    for (const step of steps(newest)) await step(hcloud)
  }

const snapshots: Story = {
  title: 'makes a snapshot of a server and a server from the snapshot',
  steps: [
    makesServer('one'),
    works('server create-image one --type snapshot --description before --label kept=yes', /Image \d+ created/),
    withNewest('snapshot', (image) => [
      shows(`image ${image}`, {
        status: 'available',
        description: 'before',
        labels: { kept: 'yes' },
        created_from: { name: 'one' },
      }),
      works(`image update ${image} --description after`),
      works(`image add-label ${image} age=old`),
      works(`image remove-label ${image} kept`),
      shows(`image ${image}`, { description: 'after', labels: { age: 'old' } }),
      lists('image list --type snapshot -l age=old', [image], 'id'),
      works('image list --type snapshot', `${image} snapshot`, 'after'),
      works(`image enable-protection ${image} delete`),
      refused(`image delete ${image}`, 'protected', 'snapshot deletion is protected'),
      works(`image disable-protection ${image} delete`),
      works(`server create --name twin --type cpx22 --image ${image}`),
      shows('server twin', { image: { id: image } }),
      deletes('server', 'twin'),
      deletes('image', String(image)),
      misused(`image describe ${image}`, new RegExp(`image not found: ${image}`, 'i')),
    ]),
    lists('image list --type snapshot', []),
    deletes('server', 'one'),
  ],
}

const backups: Story = {
  title: 'makes backups of a server, keeps one, and rebuilds the server',
  steps: [
    makesServer('one'),
    refused('server create-image one --type backup', 'invalid_input'),
    misused('server create-image one --type copy', /copy/),
    works('server enable-backup one'),
    shows('server one', { backup_window: /^\d\d-\d\d$/ }),
    works('server create-image one --type backup'),
    withNewest('backup', (image) => [works(`image update ${image} --type snapshot`)]),
    lists('image list --type backup', []),
    works('server create-image one --type backup'),
    works('server rebuild one --image debian-13'),
    shows('server one', { image: { name: 'debian-13' }, status: 'running' }),
    misused('server rebuild one --image nowhere', /image not found: nowhere|image nowhere .*not found/i),
    works('server disable-backup one'),
    shows('server one', { backup_window: null }),
    lists('image list --type backup', []),
    withNewest('snapshot', (image) => [deletes('image', String(image))]),
    deletes('server', 'one'),
  ],
}

const offered: Story = {
  title: 'shows locations, types of servers and Load Balancers, images and ISOs',
  steps: [
    works('location list', '3 hel1 Helsinki DC Park 1 eu-central FI Helsinki'),
    shows('location fsn1', { network_zone: 'eu-central' }),
    works('location describe hel1', 'Country: FI'),
    works('server-type list', '109 cpx22 2 shared'),
    shows('server-type cpx22', { cores: 2, memory: 4 }),
    since(39, shows('server-type cpx22', { architecture: 'x86' })),
    shows('server-type 1', { name: 'cx11' }),
    works('server-type describe cpx22', 'Cores: 2', 'Location: hel1'),
    works('load-balancer-type list', '1 lb11 LB11 5 10000 25'),
    shows('load-balancer-type lb21', { id: 2, max_targets: 75, max_assigned_certificates: 25 }),
    shows('load-balancer-type 3', { name: 'lb31' }),
    works('load-balancer-type describe lb11', 'Max Connections: 10000', 'Max Services: 5', 'Location: hel1'),
    works('image list', '114690387 system debian-12'),
    shows('image debian-12', { os_flavor: 'debian' }),
    shows('image 161547269', { name: 'ubuntu-24.04', type: 'system' }),
    refused('image delete 161547269', 'unsupported_error'),
    works('iso list', '122898 systemrescue-12.02-amd64.iso'),
    shows('iso systemrescue-12.02-amd64.iso', { id: 122898, type: 'public', deprecation: null }),
    works('iso describe 8637', 'Type: public'),
    since(39, lists('iso list --architecture arm', [130001, 130002, 130003, 130004], 'id')),
    until(44, refused('datacenter list', 'deprecated_api_endpoint')),
    misused('location describe nowhere', /location not found: nowhere/i),
    misused('server-type describe nowhere', /server ?type not found: nowhere/i),
    misused('load-balancer-type describe nowhere', /load ?balancer type not found: nowhere/i),
    misused('iso describe nowhere', /iso not found: nowhere/i),
    misused('image describe nowhere', /image not found: nowhere/i),
  ],
}

const architectures: Story = {
  title: 'lists an image of each architecture under one name',
  steps: [
    async (hcloud) => {
      const listed: Json[] = JSON.parse(await succeeds(hcloud, 'image list --type system -o json'))
      const named = listed.filter(({ name }) => name === 'debian-12')
      assert.equal(named.length, 2)
      const { id, os_flavor, type } = await described(hcloud, `image ${named[0].id}`)
      assert.deepEqual([id, os_flavor, type], [named[0].id, 'debian', 'system'])
    },
  ],
}

const strangers: Story = {
  title: 'is told when its token is wrong',
  steps: [
    async (hcloud) => {
      const { code, stderr } = await hcloud.run('server list', { HCLOUD_TOKEN: 'x'.repeat(64) })
      assert.equal(code, 1)
      assert.match(stderr, /^hcloud: .*token.* \(unauthorized[,)]/m)
    },
  ],
}

await tells(import.meta.filename, [snapshots, backups, offered, architectures, strangers, leavesNothing('server')])
