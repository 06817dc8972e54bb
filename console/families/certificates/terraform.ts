/** Certificates as resources of Terraform. */
import { type Make, pick, resource, type Terraform } from '../../commands/terraform/resources.ts'

const certificate: Make = (body) =>
  body.type === 'managed'
    ? [resource('managed_certificate', body.name, pick(body, 'name', 'domain_names', 'labels'))]
    : [resource('uploaded_certificate', body.name, pick(body, 'name', 'certificate', 'private_key', 'labels'))]

export const terraform: Terraform = {
  kindOf: (type) => `${type}_certificate`,
  makers: {
    create: certificate,
  },
}
