/** Installs the clients that the tests beside this file would otherwise install on first use. */
import { installCloudInit, installProvider, installPython } from './clients.ts'

console.log('Python library', (await installPython()) ?? 'not installed: no python3')
console.log('cloud-init', (await installCloudInit())?.packages ?? 'not installed: no python3, apt-get or dpkg-deb')
console.log('Terraform provider', (await installProvider()) ?? 'not installed: no go')
