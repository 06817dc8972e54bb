/** Installs the clients that the tests with real clients would otherwise install on first use. */
import { join } from 'node:path'
import {
  installAnsible,
  installCloudInit,
  installCompose,
  installGoModules,
  installHcloud,
  installManifests,
  installOpenMetrics,
  installOtlp,
  installProvider,
  installPytest,
  installPython,
  installTools,
} from './clients.ts'

console.log('hcloud of Debian 13', (await installHcloud('new'))?.program ?? 'not installed')
console.log('newest hcloud', (await installHcloud('newest'))?.program ?? 'not installed')
for (const generation of ['old', 'new'] as const) {
  console.log('Python library', (await installPython(generation)) ?? 'not installed')
}
console.log('Python tools', (await installTools()) ?? 'not installed')
console.log('parser of OpenMetrics', (await installOpenMetrics()) ?? 'not installed')
console.log('OTLP', (await installOtlp()) ?? 'not installed')
console.log('pytest', (await installPytest()) ?? 'not installed')
console.log('Ansible', (await installAnsible())?.python ?? 'not installed')
console.log('cloud-init', (await installCloudInit())?.packages ?? 'not installed')
console.log('Terraform provider', (await installProvider()) ?? 'not installed: no go')
const goModule = join(import.meta.dirname, '../../lab/use/go')
console.log('Go library', (await installGoModules(goModule)) ?? 'not installed: no go')
console.log('Compose', (await installCompose()) ?? 'not installed')
console.log('judge of manifests of Kubernetes', (await installManifests()) ?? 'not installed')
