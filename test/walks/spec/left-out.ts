/** Rows of the spec's tables that are of families that are not here, by what their first cells begin with. */

/** Sections of endpoints and of fields without rows here. */
export const sectionsLeftOut = ['Common types']

export const rowsLeftOut = ['Storage box ', 'Object storage ']
