import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iconLink } from '../look/icon.ts'
import { openApiDocument } from './openapi.ts'
import { renderReference } from './render.ts'

interface Operation {
  readonly operationId: string
}

/** The operations of a path, by method, and where it is when it is not where most are. */
type Path = Record<string, Operation> & { readonly servers?: readonly { readonly url: string }[] }

function operationsOf({ paths }: { paths?: Record<string, Path> }): Operation[] {
  return Object.values(paths ?? {}).flatMap(({ servers: _, ...methods }) => Object.values(methods))
}

/** A document with one operation in which every text is `text`. */
function documentOf(text: string): Record<string, unknown> {
  const schema = {
    type: 'object',
    properties: { [text]: { type: 'string', enum: [text], description: text, pattern: text, default: text } },
  }
  const content = { 'application/json': { schema } }
  const operation = {
    operationId: text,
    tags: [text],
    summary: text,
    description: text,
    parameters: [{ name: text, in: text, description: text, schema: { type: text } }],
    requestBody: { content },
    responses: { 200: { description: text, content }, 404: { description: text } },
  }
  return {
    info: { title: text, version: text, description: text },
    servers: [{ url: text }],
    paths: { [`/${text}/{id}`]: { [text]: operation } },
    components: { schemas: { [text]: schema }, parameters: {}, responses: {} },
  }
}

test('every operation has an anchor and an entry in the index', () => {
  const document = openApiDocument()
  const page = renderReference(document)
  const operations = operationsOf(document)
  assert.ok(operations.length > 0)
  for (const { operationId } of operations) {
    assert.equal(page.split(`id="${operationId}"`).length, 2, operationId)
    assert.ok(page.includes(`href="#${operationId}"`), operationId)
  }
})

test('ids are unique and every link inside the page leads somewhere', () => {
  const page = renderReference(openApiDocument())
  const ids = [...page.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id)
  assert.deepEqual(ids, [...new Set(ids)])
  for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(target), target)
})

test('the anchor that the refusal to list all actions names exists', () => {
  assert.ok(renderReference(openApiDocument()).includes('id="list-actions-removed"'))
})

test('the page needs no script and nothing from elsewhere, and loads nothing but its icon', () => {
  const page = renderReference(openApiDocument()).replace(iconLink, '')
  assert.doesNotMatch(page, /<(script|link|img|iframe)\b|\son\w+=|url\(|@import|https?:/)
})

test('text is escaped wherever it appears', () => {
  const page = renderReference(documentOf(`<b>&"'x`))
  assert.ok(!page.includes('<b>'))
  assert.ok(!page.includes(`&"`))
  assert.ok(page.includes('&#60;b&#62;&#38;&#34;&#39;x'))
})
