/** A report as JUnit, with one test case for each assertion. */
import { failures } from './assertions.ts'
import { printable } from './printable.ts'
import type { Report } from './schema.ts'

export function toJunit({ run, assertions }: Report): string {
  const cases = assertions.map(({ assertion, holds, found }) => {
    const start = `    <testcase classname="wolke" name="${escaped(assertion)}"`
    if (holds) return `${start}/>`
    const [first = ''] = found
    const message = found.length > 1 ? `${first} and ${found.length - 1} more` : first
    return [
      `${start}>`,
      `      <failure message="${escaped(message)}">${escaped(found.join('\n'))}</failure>`,
      '    </testcase>',
    ].join('\n')
  })
  const counts = `tests="${assertions.length}" failures="${failures({ assertions }).length}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escaped(printable(run.name))}" ${counts} timestamp="${run.started}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

/** XML cannot hold control characters, not even escaped. */
function escaped(text: string): string {
  const isHeld = (character: string) => character >= ' ' || character === '\n' || character === '\t'
  const held = [...text].map((character) => (isHeld(character) && character.isWellFormed() ? character : '?')).join('')
  return held
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\ufffe', '?')
    .replaceAll('\uffff', '?')
}
