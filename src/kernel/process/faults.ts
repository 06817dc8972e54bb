/**
 * Named places where a test makes the world intervene: kill the worker, let a rival write first. In production nothing
 * listens and reaching a place costs one call.
 */
export interface Faults {
  reach(place: string): Promise<void> | void
}

export const noFaults: Faults = { reach: () => undefined }
