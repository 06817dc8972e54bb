/** Files that the setup of a host makes, by what they are. */

/** The folder of all that hosts need, which only root writes to. */
export const folder = '/etc/wolke/host'

export const journalFile = `${folder}/setup.json`
/** The authority of the hosts and the pairs that it signs, which only root may read. */
export const authorityFolder = `${folder}/authority`
/** What the service reads: its own pair, the authority, and the certificate that Incus shows. */
export const wolkeCert = `${folder}/wolke.crt`
export const wolkeKey = `${folder}/wolke.key`
export const authorityCert = `${folder}/ca.crt`
export const clusterCert = `${folder}/cluster.crt`
export const firewallFile = `${folder}/firewall.nft`
export const networkFile = `${folder}/network.sh`
export const routesFile = `${folder}/routes`
/** The pair of the API. */
export const tlsCert = '/etc/wolke/cert.pem'
export const tlsKey = '/etc/wolke/key.pem'

export const configFile = '/etc/wolke/wolke.yaml'
export const serviceUnit = '/usr/lib/systemd/system/wolke.service'
export const hostUnit = '/etc/systemd/system/wolke-host.service'
export const portsFile = '/etc/systemd/system/wolke.service.d/ports.conf'
export const setupLink = '/var/lib/wolke/setup-link'
