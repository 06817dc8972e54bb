/** The built-in images. */
import type { Architecture, Deprecation, SystemImage } from './catalogue.ts'

type SystemRow = readonly [
  name: string,
  description: string,
  osVersion: string,
  x86: number,
  arm: number,
  created: string,
  deprecation?: Deprecation,
]

type AppRow = readonly [name: string, x86: number, arm: number | null, created: string]

const debian11End = { announced: '2026-08-31T08:00:00Z', unavailable_after: '2027-08-31T23:59:59Z' }

const systemRows: readonly SystemRow[] = [
  ['debian-11', 'Debian 11', '11', 45557056, 103907373, '2021-08-16T11:12:01Z', debian11End],
  ['centos-stream-9', 'CentOS Stream 9', 'stream9', 52103004, 103908017, '2021-12-07T07:20:11Z'],
  ['ubuntu-22.04', 'Ubuntu 22.04', '22.04', 67794396, 103908130, '2022-04-21T13:32:38Z'],
  ['rocky-8', 'Rocky Linux 8', '8', 68011204, 103908241, '2022-05-02T08:14:30Z'],
  ['alma-8', 'AlmaLinux 8', '8', 68011210, 103908252, '2022-05-02T08:31:47Z'],
  ['rocky-9', 'Rocky Linux 9', '9', 76766499, 103908263, '2022-07-20T06:02:10Z'],
  ['alma-9', 'AlmaLinux 9', '9', 76766511, 103908274, '2022-07-20T06:12:55Z'],
  ['opensuse-15', 'openSUSE Leap 15', '15', 82201117, 103908285, '2022-08-30T09:40:03Z'],
  ['debian-12', 'Debian 12', '12', 114690387, 114690389, '2023-06-13T06:00:00Z'],
  ['ubuntu-24.04', 'Ubuntu 24.04', '24.04', 161547269, 161547270, '2024-04-25T13:26:27Z'],
  ['centos-stream-10', 'CentOS Stream 10', 'stream10', 208843018, 208843019, '2025-01-14T10:05:42Z'],
  ['fedora-42', 'Fedora 42', '42', 232895141, 232895142, '2025-04-15T14:22:09Z'],
  ['alma-10', 'AlmaLinux 10', '10', 248117302, 248117303, '2025-05-28T07:45:18Z'],
  ['rocky-10', 'Rocky Linux 10', '10', 258904410, 258904411, '2025-06-12T08:03:51Z'],
  ['debian-13', 'Debian 13', '13', 310554929, 310554930, '2025-08-18T06:15:25Z'],
  ['opensuse-16', 'openSUSE Leap 16', '16', 329410866, 329410867, '2025-10-07T09:11:36Z'],
  ['fedora-43', 'Fedora 43', '43', 335870221, 335870222, '2025-10-29T13:57:02Z'],
  ['ubuntu-26.04', 'Ubuntu 26.04', '26.04', 372614508, 372614509, '2026-04-23T14:08:44Z'],
]

const appRows: readonly AppRow[] = [
  ['docker-ce', 40093247, 105888141, '2021-06-08T06:22:47Z'],
  ['gitlab', 40093260, null, '2021-06-08T06:41:12Z'],
  ['wordpress', 40093271, 105888152, '2021-06-08T06:55:39Z'],
  ['nextcloud', 40093284, 105888163, '2021-06-08T07:10:05Z'],
  ['lamp', 40093295, 105888174, '2021-06-08T07:24:58Z'],
  ['jitsi', 40093306, null, '2021-06-08T07:38:20Z'],
  ['wireguard', 74312040, 105888185, '2022-06-28T12:00:31Z'],
  ['go', 78120551, 105888196, '2022-08-02T08:17:46Z'],
  ['ruby', 78120562, 105888207, '2022-08-02T08:29:13Z'],
  ['prometheus-grafana', 92407718, 105888218, '2022-11-22T10:49:27Z'],
  ['photoprism', 96655203, null, '2023-01-10T09:33:52Z'],
  ['owncast', 96655214, null, '2023-01-10T09:47:34Z'],
  ['rustdesk', 131298845, 131298846, '2023-10-24T07:52:16Z'],
  ['coolify', 190614227, 190614228, '2024-10-15T11:36:40Z'],
]

/** The built-in system and app images, grouped by name rather than in id order (spec: Image). */
export const images: readonly SystemImage[] = [...systemRows.flatMap(systemImagesOf), ...appRows.flatMap(appImagesOf)]

function systemImagesOf(row: SystemRow): readonly SystemImage[] {
  const [name, description, osVersion, x86, arm, created, deprecation = null] = row
  const image = (id: number, architecture: Architecture): SystemImage => ({
    id,
    type: 'system',
    name,
    description,
    os_flavor: name.slice(0, name.indexOf('-')) as SystemImage['os_flavor'],
    os_version: osVersion,
    architecture,
    created,
    disk_size: 5,
    rapid_deploy: true,
    deprecation,
  })
  return [image(x86, 'x86'), image(arm, 'arm')]
}

function appImagesOf([name, x86, arm, created]: AppRow): readonly SystemImage[] {
  const image = (id: number, architecture: Architecture): SystemImage => ({
    id,
    type: 'app',
    name,
    description: name,
    os_flavor: 'ubuntu',
    os_version: 'unknown',
    architecture,
    created,
    disk_size: 40,
    rapid_deploy: true,
    deprecation: null,
  })
  return arm === null ? [image(x86, 'x86')] : [image(x86, 'x86'), image(arm, 'arm')]
}
