/** Datacenters as they stood when the API still had them: one for each location. Pure. */

const known: Readonly<Record<string, { readonly id: number; readonly number: number; readonly description: string }>> =
  {
    nbg1: { id: 2, number: 3, description: 'Nuremberg 1 virtual DC 3' },
    hel1: { id: 3, number: 2, description: 'Helsinki 1 virtual DC 2' },
    fsn1: { id: 4, number: 14, description: 'Falkenstein 1 virtual DC14' },
    ash: { id: 5, number: 1, description: 'Ashburn virtual DC 1' },
    hil: { id: 6, number: 1, description: 'Hillsboro virtual DC 1' },
    sin: { id: 7, number: 1, description: 'Singapore virtual DC 1' },
  }

/** Ids of datacenters of locations that an operator's catalogue brings start here, past those above. */
const firstOwnId = 100

export interface Datacenter {
  readonly id: number
  readonly name: string
  readonly description: string
}

/** The datacenter of a location. */
export function datacenterOf(location: { readonly id: number; readonly name: string }): Datacenter {
  const { id, number, description } = known[location.name] ?? {
    id: firstOwnId + location.id,
    number: 1,
    description: `${location.name} DC 1`,
  }
  return { id, name: `${location.name}-dc${number}`, description }
}

/** The location of a datacenter by the id or name that the datacenter had. */
export function locationOfDatacenter<Place extends { readonly id: number; readonly name: string }>(
  locations: readonly Place[],
  key: { readonly id: number } | { readonly name: string },
): Place | undefined {
  return locations.find((place) => {
    const { id, name } = datacenterOf(place)
    return 'id' in key ? id === key.id : name === key.name
  })
}

/** Whether a text can be a datacenter's name: letters, digits and dashes. Clients also ask for names that nothing has. */
export function isDatacenterName(text: string): boolean {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/i.test(text)
}
