/** Installs the clients that the tests beside this file would otherwise install on first use. */
import { installProvider, installPython } from './clients.ts'

console.log('Python library', (await installPython()) ?? 'not installed: no python3')
console.log('Terraform provider', (await installProvider()) ?? 'not installed: no go')
