/** Installs the clients that the tests beside this file would otherwise install on first use. */
import { installCloudInit, installHcloud, installProvider, installPython } from './clients.ts'

console.log('hcloud of Debian 13', (await installHcloud('new'))?.program ?? 'not installed: no apt-get or dpkg-deb')
for (const generation of ['old', 'new'] as const) {
  console.log('Python library', (await installPython(generation)) ?? 'not installed: no python3')
}
console.log('cloud-init', (await installCloudInit())?.packages ?? 'not installed: no python3, apt-get or dpkg-deb')
console.log('Terraform provider', (await installProvider()) ?? 'not installed: no go')
