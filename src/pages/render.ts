/** Renders the OpenAPI document as one static HTML page without scripts or external resources. */

import { iconLink } from '../look/icon.ts'
import { Html, html } from '../protocols/net/html.ts'
import { guide, guideSections } from './guide.ts'
import { note, prose } from './prose.ts'
import { allowed, anchorOf, nameIn, properties, type Schema } from './schema.ts'
import { referenceStyle } from './style.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly schema: Schema
}

interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } }
}

type Response = Content & { readonly description: string }
type Reference = { readonly $ref: string }

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly (Parameter | Reference)[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Response | Reference>>
}

interface Components {
  readonly schemas: Readonly<Record<string, Schema>>
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly responses: Readonly<Record<string, Response>>
}

interface Tag {
  readonly name: string
  readonly 'x-displayName': string
}

interface Server {
  readonly url: string
}

/** The operations of a path, by method, and where it is when it is not where most are. */
type Path = Readonly<Record<string, Operation>> & { readonly servers?: readonly Server[] }

interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly Server[]
  readonly tags?: readonly Tag[]
  readonly paths: Readonly<Record<string, Path>>
  readonly components: Components
}

/** An operation with its references resolved. */
interface DocumentedOperation extends Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly responses: Readonly<Record<string, Response>>
}

interface Family {
  readonly name: string
  readonly title: string
  readonly entries: readonly DocumentedOperation[]
}

/** A page with a guide, an index by family, and one foldable entry for each operation. */
export function renderReference(document: Record<string, unknown>): string {
  const { info, servers, tags = [], paths, components } = document as unknown as OpenApi
  const basePath = servers[0]?.url ?? ''
  const entries = Object.entries(paths).flatMap(([path, { servers: others = servers, ...operations }]) => {
    const isBelowBase = others.some(({ url }) => url === basePath)
    const shown = isBelowBase ? path : others[0]!.url + path
    return Object.entries(operations).map(([method, operation]) => toEntry(method, shown, operation, components))
  })
  const titles = new Map(tags.map((tag) => [tag.name, capital(tag['x-displayName'])]))
  const families = [...Map.groupBy(entries, (entry: DocumentedOperation) => entry.tags[0] ?? '')].map(
    ([name, some]): Family => ({ name, title: titles.get(name) ?? name, entries: some }),
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API ${info.version}</title>
${new Html(iconLink)}
<style>${new Html(referenceStyle)}</style>
</head>
<body>
<div class="layout">
${index(info.title, families, Object.keys(components.schemas))}
<main>
<h1 id="top">${info.title} API</h1>
<p class="faint">${info.description}, version ${info.version}. For programs:
<a href="${basePath}/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
${guide(basePath)}
${families.map(family)}
${schemas(components.schemas)}
</main>
</div>
</body>
</html>
`.toString()
}

function toEntry(method: string, path: string, operation: Operation, components: Components): DocumentedOperation {
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    resolved(response, components.responses),
  ])
  const body = operation.requestBody && withSchema(operation.requestBody, components)
  return {
    ...operation,
    method,
    path,
    parameters: operation.parameters.map((parameter) => resolved(parameter, components.parameters)),
    ...(body ? { requestBody: body } : {}),
    responses: Object.fromEntries(
      responses.map(([status, response]) => [status, withSchema(response as Response, components)]),
    ),
  }
}

function resolved<T extends object>(part: T | Reference, named: Readonly<Record<string, T>>): T {
  return '$ref' in part ? named[nameIn(part.$ref)]! : part
}

/** Resolves the outermost schema of a body; nested schemas may remain references. */
function withSchema<T extends Content>(part: T, { schemas }: Components): T {
  const schema = part.content?.['application/json']?.schema
  if (schema?.$ref === undefined) return part
  return { ...part, content: { 'application/json': { schema: schemas[nameIn(schema.$ref)]! } } }
}

function index(title: string, families: readonly Family[], components: readonly string[]): Html {
  return html`<nav aria-label="Index"><a class="brand" href="#top">${title} API</a>
<details open><summary>Guide</summary><ul>${Object.entries(guideSections).map(
    ([id, name]) => html`<li><a href="#${id}">${name}</a>`,
  )}</ul></details>
${families.map(
  ({ title, entries }) =>
    html`<details open><summary>${title}</summary><ul>${entries.map(
      (entry) => html`<li><a href="#${entry.operationId}" title="${entry.summary}">${head(entry)}</a>`,
    )}</ul></details>`,
)}
<details><summary>Schemas</summary><ul>${components.map(
    (name) => html`<li><a href="#${anchorOf(name)}">${name}</a>`,
  )}</ul></details>
</nav>`
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

function head({ method, path }: DocumentedOperation): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span> <span class="path">${pathText(path)}</span>`
}

/** Highlights parameters, and allows line breaks after slashes and underscores. */
function pathText(path: string): Html[] {
  const parts = path.match(/\{\w+\}|[^/_{]*[/_]|[^/_{]+/g) ?? []
  return parts.map((part) => (part.startsWith('{') ? html`<var>${part}</var>` : html`${part}<wbr>`))
}

function family({ name, title, entries }: Family): Html {
  return html`<section><h2 id="family-${name}">${title}</h2>${entries.map(operation)}</section>`
}

function schemas(named: Components['schemas']): Html {
  const parts = Object.entries(named).map(
    ([name, schema]) =>
      html`<section><h3 id="${anchorOf(name)}">${name}</h3>${properties(schema, 'optional')}</section>`,
  )
  return html`<section><h2 id="schemas">Schemas</h2>${parts}</section>`
}

/** The anchor is inside of the details element, because browsers then unfold it when a link targets it. */
function operation(entry: DocumentedOperation): Html {
  const responses = Object.entries(entry.responses)
  return html`<details class="operation"><summary>${head(entry)} <span class="faint">${entry.summary}</span></summary>
<div id="${entry.operationId}">
${entry.description && html`<p class="faint">${prose(entry.description)}</p>`}
${parameters(entry.parameters)}
${entry.requestBody && html`<h3>Body</h3>${content(entry.requestBody, 'required')}`}
${responses
  .filter(([status]) => Number(status) < 400)
  .map(([status, reply]) => html`<h3>Reply ${status}</h3>${content(reply, 'optional')}`)}
<h3>Errors</h3><div class="table"><table class="codes"><tbody>${responses
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description }]) => html`<tr><td>${status}<td>${codes(description)}`)}</table></div>
</div></details>
`
}

function codes(description: string): Html[] {
  const names = description.replace('Code: ', '').split(', ')
  return names.map((name) => html`<code>${name}</code> `)
}

function parameters(list: readonly Parameter[]): Html | undefined {
  if (list.length === 0) return undefined
  const rows = list.map(
    ({ name, in: place, schema, description }) => html`
<tr><td><code class="name">${name}</code><td>${place}<td>${allowed(schema)}${note(description)}`,
  )
  return html`<h3>Parameters</h3><div class="table"><table><thead><tr><th>Name<th>In<th>Value<tbody>${rows}</table></div>`
}

function content({ content: body }: Content, marked: 'required' | 'optional'): Html {
  const schema = body?.['application/json']?.schema
  return schema ? properties(schema, marked) : html`<p class="faint">No body</p>`
}
