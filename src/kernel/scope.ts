/** The Project on whose behalf something happens. Every statement on a tenant's table carries it. */

declare const projectId: unique symbol

export type ProjectId = number & { readonly [projectId]: true }

export interface ProjectScope {
  readonly projectId: ProjectId
}
