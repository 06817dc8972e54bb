/** Writes api/openapi.json from the endpoint tables; `--check` fails when the file is out of date. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { openApiDocument } from '../src/pages/openapi.ts'

const file = new URL('../api/openapi.json', import.meta.url)
const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`
if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
  console.error('api/openapi.json differs from the endpoints in src: run `npm run openapi` and commit the file')
  process.exitCode = 1
}
