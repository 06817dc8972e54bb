/** Sorting of what is too much to be sorted at once. */

const runLength = 1_000

/** The items in order, those that are equal as they came. Yields after each part of the work: a merge of two sorted runs. */
export function* sortSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<void, readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2) {
      longer.push(merged(runs[at]!, runs[at + 1] ?? [], compare))
      yield
    }
    runs = longer
  }
  return runs[0] ?? []
}

function merged<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  const both: T[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) both.push(compare(a[i]!, b[j]!) <= 0 ? a[i++]! : b[j++]!)
  while (i < a.length) both.push(a[i++]!)
  while (j < b.length) both.push(b[j++]!)
  return both
}
