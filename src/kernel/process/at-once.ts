/** Work that is nearly always done at once: a promise for it would cost more than it does. */

/** A value that is here already, or comes later. */
export type AtOnce<T> = T | Promise<T>

/** Goes on with a value, at once when it is here. */
export function after<T, R>(given: AtOnce<T>, then: (value: T) => AtOnce<R>): AtOnce<R> {
  return given instanceof Promise ? given.then(then) : then(given)
}

/** Several values that are asked for together, at once when all of them are here. */
export function together<T extends readonly unknown[]>(given: { readonly [K in keyof T]: AtOnce<T[K]> }): AtOnce<T> {
  const isLater = given.some((one) => one instanceof Promise)
  return (isLater ? Promise.all(given) : given) as AtOnce<T>
}

/** Work of several steps, which yields whatever has to be awaited. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/** A step that needs a value: to be used with `yield*`, as `await` is. Throws what its promise is rejected with. */
export function* value<T>(given: AtOnce<T>): Steps<T> {
  return (given instanceof Promise ? yield given : given) as T
}

/** Does all steps, at once as long as nothing has to be awaited. */
export function inSteps<T>(steps: Steps<T>): AtOnce<T> {
  const step = steps.next()
  return step.done ? step.value : goOn(steps, step.value)
}

async function goOn<T>(steps: Steps<T>, awaited: Promise<unknown>): Promise<T> {
  for (let wait = awaited; ; ) {
    const resume = await wait.then(
      (found) => () => steps.next(found),
      (error) => () => steps.throw(error),
    )
    const step = resume()
    if (step.done) return step.value
    wait = step.value
  }
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
