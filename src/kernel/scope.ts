/** The Project on whose behalf something happens. Every statement on a tenant's table includes it. */

declare const projectId: unique symbol

export type ProjectId = number & { readonly [projectId]: true }

export interface ProjectScope {
  readonly projectId: ProjectId
  /** The token that asks, where it sees only some of the resources: it also sees the actions that it starts. */
  readonly startedBy?: number
}
