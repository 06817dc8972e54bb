/**
 * Named fault points at which a test intervenes: kills the worker or lets another one write first. In production
 * nothing listens, and reaching a fault point costs one call.
 */
export interface Faults {
  reach(place: string): Promise<void> | void
}

export const noFaults: Faults = { reach: () => undefined }
