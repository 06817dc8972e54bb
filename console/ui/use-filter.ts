/**
 * The filter of a list: a label selector, read by the API's own parser, or a part of a name, an address or a label. The
 * parser is loaded with the first selector.
 */
import { useEffect, useMemo, useState } from 'react'

type Selectors = typeof import('../../src/kernel/contract/selectors.ts')

interface Labelled {
  readonly labels: Readonly<Record<string, string>>
}

interface Filter<Row> {
  readonly keeps: (row: Row) => boolean
  /** The reason why the text is no selector, in the words of the API. */
  readonly problem?: string
}

/** `textsOf` gives what a row is found by, besides its labels. */
export function useFilter<Row extends Labelled>(text: string, textsOf: (row: Row) => readonly string[]): Filter<Row> {
  const asked = text.trim()
  const isSelector = /[=!(),]|\s(not)?in\s/.test(asked)
  const selectors = useSelectors(isSelector)
  return useMemo(() => {
    if (asked === '') return { keeps: () => true }
    if (isSelector) return selectors ? selecting(asked, selectors) : { keeps: () => true }
    const wanted = asked.toLowerCase()
    return {
      keeps: (row) =>
        [...textsOf(row), ...Object.entries(row.labels).flat()].some((part) => part.toLowerCase().includes(wanted)),
    }
  }, [asked, isSelector, selectors, textsOf])
}

function selecting<Row extends Labelled>(text: string, { parseSelector, matches }: Selectors): Filter<Row> {
  const result = parseSelector(text)
  if (!result.ok) return { keeps: () => true, problem: result.message }
  return { keeps: ({ labels }) => matches(result.selector, labels) }
}

function useSelectors(isNeeded: boolean): Selectors | undefined {
  const [loaded, setLoaded] = useState<Selectors>()
  useEffect(() => {
    if (isNeeded && !loaded) void import('../../src/kernel/contract/selectors.ts').then((module) => setLoaded(module))
  }, [isNeeded, loaded])
  return loaded
}
