/** What tests of setting up a host stand on: bare machines in a lab boot, install packages of Debian, and come back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bareReleases } from '../../lab/bare/build.ts'
import { bareHosts, giveWolke } from './kit/bare/machines.ts'
import { inLab } from './kit/place.ts'

const versions = { bookworm: '12', trixie: '13' }

for (const release of bareReleases) {
  test(
    `a bare machine with Debian ${versions[release]} installs packages, and a reboot brings their services back`,
    inLab,
    async (t) => {
      const [host] = await bareHosts(t, 1, { release })
      const { exec } = host!
      assert.equal(
        await exec('. /etc/os-release && echo "$VERSION_ID" && systemctl is-system-running'),
        `${versions[release]}\nrunning\n`,
      )
      assert.equal(await exec('dpkg-query -W | grep -E "incus|ovn|openvswitch|lxc|wolke" || true'), '')
      assert.equal(
        await exec('lsblk --noheadings --raw --bytes --output NAME,SIZE,TYPE,FSTYPE'),
        'sdb 8589934592 disk \n',
      )
      assert.match(await exec('ip -brief address show dev eth0'), new RegExp(`^eth0\\S* +UP +${host!.address}/24 `))
      assert.match(await exec('ip -brief link show dev eth1'), /^eth1\S* +DOWN /)

      await giveWolke([host!])
      await exec('export DEBIAN_FRONTEND=noninteractive; apt-get update && apt-get install -y /root/wolke.deb jq')
      const state =
        'until wolke health 2>/dev/null; do systemctl is-active --quiet wolke; sleep 0.1; done; cat /etc/machine-id'
      const before = await exec(state)
      const files = '/var/lib/kept /tmp/gone /run/gone'
      await exec(`jq --version && touch ${files}`)
      await host!.reboot()
      assert.equal(
        await exec(`systemctl is-system-running; ls -d ${files} 2>/dev/null || true`),
        'running\n/var/lib/kept\n',
      )
      assert.equal(await exec(state), before)
      assert.match(await exec('ip -brief address show dev eth0'), new RegExp(`^eth0\\S* +\\S+ +${host!.address}/24 `))
    },
  )
}
