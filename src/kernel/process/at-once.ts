/** Work that is nearly always done at once: a promise for it would cost more than it does. */

/** A value that is here already, or comes later. */
export type AtOnce<T> = T | Promise<T>

/** Goes on with a value, at once when it is here. */
export function after<T, R>(given: AtOnce<T>, then: (value: T) => AtOnce<R>): AtOnce<R> {
  return given instanceof Promise ? given.then(then) : then(given)
}

/** Does `work`, and `end` when it is over, whether it failed or not. */
export function ending<T>(work: () => AtOnce<T>, end: () => void): AtOnce<T> {
  let made: AtOnce<T>
  try {
    made = work()
  } catch (error) {
    end()
    throw error
  }
  if (made instanceof Promise) return endingLater(made, end)
  end()
  return made
}

async function endingLater<T>(made: Promise<T>, end: () => void): Promise<T> {
  try {
    return await made
  } finally {
    end()
  }
}
