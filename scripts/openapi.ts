/** Writes the documents in api/ from the endpoint tables; `--check` fails when a file is out of date. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { labDocument, openApiDocument } from '../src/pages/openapi.ts'

for (const [name, document] of [
  ['api/openapi.json', openApiDocument()],
  ['api/wolke.json', labDocument()],
] as const) {
  const file = new URL(`../${name}`, import.meta.url)
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${name} differs from the endpoints in src: run \`npm run openapi\` and commit the file`)
    process.exitCode = 1
  }
}
