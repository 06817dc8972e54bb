/** The hcloud command line with volumes: from one server to another, larger, protected and deleted. */
import {
  deletes,
  leavesNothing,
  lists,
  makesServer,
  misused,
  refused,
  type Story,
  shows,
  since,
  tells,
  works,
} from './hcloud.ts'

const moving: Story = {
  title: 'attaches a volume to one server after another and makes it larger',
  steps: [
    makesServer('one'),
    works('volume create --name data --size 10 --server one --automount --format ext4', 'Volume {volume data} created'),
    shows('volume data', { server: '{server one}', format: 'ext4', size: 10, location: { name: 'hel1' } }),
    shows('server one', { volumes: ['{volume data}'] }),
    works('volume list', '{volume data} data 10 GB one hel1'),
    works('volume list -o noheader -o columns=name,size,server,protection', /^data 10 GB one$/),
    works('volume describe data', 'Size: 10 GB', 'Linux Device: {volume data linux_device}', 'Name: one'),
    refused('volume delete data', 'service_error', /still attached/),
    works('volume resize data --size 25'),
    refused('volume resize data --size 20', 'invalid_input', "invalid input in field 'size'"),
    works('volume detach data'),
    shows('volume data', { server: null, size: 25 }),
    refused('volume detach data', 'service_error', /not attached/),
    makesServer('two', '--volume data --automount'),
    shows('volume data', { server: '{server two}' }),
    deletes('server', 'two'),
    works('volume attach data --server one'),
    refused('volume attach data --server one', 'volume_already_attached', /already/),
    misused('volume attach data --server nowhere', /server not found: nowhere/i),
    works('volume detach data'),
    deletes('volume', 'data'),
    deletes('server', 'one'),
  ],
}

const keeping: Story = {
  title: 'names, labels and protects a volume without a server',
  steps: [
    works('volume create --name data --size 10 --location hel1 --label role=data'),
    shows('volume data', { server: null, format: null, labels: { role: 'data' } }),
    works('volume add-label data stage=test'),
    works('volume remove-label data role'),
    works('volume update data --name base'),
    lists('volume list -l stage=test', ['base']),
    refused('volume create --name base --size 10 --location hel1', 'uniqueness_error', /already used/),
    works('volume enable-protection base delete'),
    shows('volume base', { protection: { delete: true } }),
    refused('volume delete base', 'protected', 'volume deletion is protected'),
    works('volume disable-protection base delete'),
    deletes('volume', 'base'),
    since(
      39,
      works('volume create --name kept --size 10 --location hel1 --format xfs --enable-protection delete'),
      shows('volume kept', { format: 'xfs', protection: { delete: true } }),
      works('volume disable-protection kept delete'),
      deletes('volume', 'kept'),
    ),
  ],
}

const wrong: Story = {
  title: 'says what is wrong with a volume that cannot be made',
  steps: [
    refused('volume create --name x --size 9 --location hel1', 'invalid_input', "invalid input in field 'size'"),
    refused('volume create --name x --size 10241 --location hel1', 'invalid_input', "invalid input in field 'size'"),
    refused('volume create --name x --size 10 --location moon', 'invalid_input', /location/),
    misused('volume create --name x --size ten --location hel1', /invalid argument "ten"/),
    misused('volume create --name x --size 10 --server nowhere', /server not found: nowhere/i),
    misused('volume describe nowhere', /volume not found: nowhere/i),
  ],
}

await tells(import.meta.filename, [moving, keeping, wrong, leavesNothing('server', 'volume')])
