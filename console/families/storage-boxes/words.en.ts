/** Words of the page of Storage Boxes. */
export const storageBoxes = {
  title: 'Storage Boxes',
  none: 'There are none yet. hcloud, Terraform and the API make them.',
  initializing: 'being made',
}
