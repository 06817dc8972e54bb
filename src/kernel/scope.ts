/** The Project on whose behalf something happens. Every statement on a tenant's table includes it. */

declare const projectId: unique symbol

export type ProjectId = number & { readonly [projectId]: true }

export interface ProjectScope {
  readonly projectId: ProjectId
}
