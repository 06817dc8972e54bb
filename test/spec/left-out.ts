/** Rows of the spec's tables that are of families that are not here, by what their first cells begin with. */

/** Sections of endpoints and of fields without rows here. */
export const sectionsLeftOut = ['Certificates', 'Certificate', 'Common types']

export const rowsLeftOut = [
  'POST /certificates',
  'POST /load_balancers',
  'Certificate ',
  'Load balancer ',
  'Storage box ',
  'Object storage ',
]
