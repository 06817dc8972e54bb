/** The provider of Terraform in a folder, where `terraform init` finds it rather than in the registry. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes the folder within another one; returns the file of settings for TF_CLI_CONFIG_FILE. */
export function mirror(folder: string, provider: string, version: string): string {
  const target = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`
  const place = join(folder, 'mirror/registry.terraform.io/hetznercloud/hcloud', version, target)
  mkdirSync(place, { recursive: true })
  symlinkSync(join(provider, 'terraform-provider-hcloud'), join(place, `terraform-provider-hcloud_v${version}`))
  const settings = join(folder, 'terraform.rc')
  writeFileSync(settings, `provider_installation {\n  filesystem_mirror { path = "${join(folder, 'mirror')}" }\n}\n`)
  return settings
}
