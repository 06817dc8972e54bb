/** Where the text of the spec lies beside this repository, the rows of spec/ are compared with its tables. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { endpointRows, metadataPaths } from '../walks/spec/endpoints.ts'
import { detailRows, generalRows, specificRows } from '../walks/spec/errors.ts'
import { fieldRows, selectorRows } from '../walks/spec/fields.ts'
import { rowsLeftOut, sectionsLeftOut } from '../walks/spec/left-out.ts'
import { limitRows } from '../walks/spec/limits.ts'

interface Table {
  readonly section: string
  readonly columns: readonly string[]
  readonly cells: readonly (readonly string[])[]
}

function tablesOf(text: string): Table[] {
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  return text.split(/^#+ /m).flatMap((part) => {
    const section = part.slice(0, part.indexOf('\n')).replace(' (deprecated)', '')
    return [...part.matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) => {
      const [columns = [], , ...cells] = table.trimEnd().split('\n').map(cellsOf)
      return { section, columns, cells }
    })
  })
}

const [text] = globSync(join(import.meta.dirname, '../../../*/spec/cloud-api.md'))

if (text) {
  const tables = tablesOf(readFileSync(text, 'utf8'))
  const cellsUnder = (columns: string) =>
    tables
      .filter((table) => table.columns.join(' ').startsWith(columns) && !sectionsLeftOut.includes(table.section))
      .flatMap((table) => table.cells)
      .filter(([first = '']) => !rowsLeftOut.some((start) => first.startsWith(start)))
  const same = (ours: Iterable<string>, theirs: Iterable<string>) =>
    assert.deepEqual([...new Set(ours)].sort(), [...new Set(theirs)].sort())

  test('the rows are those of the text of the spec', () => {
    const ofTables = endpointRows.filter(({ inWords }) => !inWords)
    const requests = new Map(cellsUnder('Method Path').map(([method, path, request]) => [`${method} ${path}`, request]))
    same(
      ofTables.map(({ endpoint }) => endpoint),
      requests.keys(),
    )
    for (const { endpoint, query = [], sort = [], required = [], optional = [] } of ofTables) {
      for (const name of [...query, ...(endpoint.endsWith('/actions') ? [] : sort), ...required, ...optional]) {
        assert.match(requests.get(endpoint)!, new RegExp(`\\b${name}\\b`), endpoint)
      }
    }
    same(
      metadataPaths.map((path) => path || '(empty)'),
      cellsUnder('Path Format').map(([path]) => path!),
    )
    same(
      generalRows.map(({ status, code }) => `${status} ${code}`),
      cellsUnder('Status Code').map(([status, code]) => `${status} ${code}`),
    )
    same(
      detailRows.map(({ code }) => code),
      cellsUnder('Code details').map(([code]) => code!),
    )
    const codes = new Map(cellsUnder('Operation Codes').map(([operation, cell]) => [operation!, cell!]))
    same(
      specificRows.map(({ operation }) => operation),
      codes.keys(),
    )
    for (const { operation, codes: reached, unused = {} } of specificRows) {
      const said = codes
        .get(operation)!
        .replace(/not_found is used only.*/, '')
        .match(/\b[a-z]+(_[a-z]+)+\b|unavailable/g)
      same([...reached.map(({ code }) => code), ...Object.keys(unused)], said ?? [])
    }
    same(
      limitRows.map(({ limit }) => limit),
      cellsUnder('Limit Value').map(([limit]) => limit!),
    )
    same(
      selectorRows.map(({ expression }) => expression),
      cellsUnder('Expression').map(([expression]) => expression!),
    )
    for (const { section, cells } of tables.filter(({ columns }) => columns[0] === 'Field')) {
      if (sectionsLeftOut.includes(section)) continue
      const row = fieldRows.find(({ resource }) => resource === section)
      assert.ok(row, section)
      same(
        [...Object.keys(row.fields), ...(row.removed ?? [])],
        cells.map(([field]) => field!),
      )
    }
  })
}
