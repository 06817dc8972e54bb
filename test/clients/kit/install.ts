/** Installs the clients that the tests with real clients would otherwise install on first use. */
import { installCloudInit, installHcloud, installProvider, installPython, installTools } from './clients.ts'

console.log('hcloud of Debian 13', (await installHcloud('new'))?.program ?? 'not installed')
for (const generation of ['old', 'new'] as const) {
  console.log('Python library', (await installPython(generation)) ?? 'not installed')
}
console.log('Python tools', (await installTools()) ?? 'not installed')
console.log('cloud-init', (await installCloudInit())?.packages ?? 'not installed')
console.log('Terraform provider', (await installProvider()) ?? 'not installed: no go')
