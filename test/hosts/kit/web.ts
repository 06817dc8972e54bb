/** Web servers on hosts, behind what carries traffic to them. */
import type { Stage } from '../../conformance/stage.ts'

/** User data of a server that says its name on port 8080, as long as its unit `web` runs. */
export const webServer = (name: string) => `#cloud-config
write_files:
  - path: /srv/index.html
    content: ${name}
runcmd:
  - [systemd-run, --unit=web, python3, -m, http.server, "8080", --directory, /srv]
`

/** Makes a network with one subnet, and returns its id. */
export async function makeNetwork(stage: Stage): Promise<number> {
  const subnets = [{ type: 'cloud', ip_range: '10.0.0.0/24', network_zone: 'eu-central' }]
  return (await stage.post('/networks', { name: 'web', ip_range: '10.0.0.0/16', subnets })).network.id
}
