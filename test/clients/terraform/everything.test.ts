/** A whole existing setup comes up, is taken over, grows and goes away with Terraform. */
import { it } from 'node:test'
import { publicKey } from '../kit/clients.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { describeTerraform, leads } from './terraform.ts'

const before = {
  public_key: publicKey(),
  web_servers: 2,
  web_type: 'cpx22',
  balancer_type: 'lb11',
  data_size: 20,
  office: ['198.51.100.0/24'],
  office_range: '10.100.0.0/16',
  domain: 'example.com',
  protected: true,
}

const after = {
  ...before,
  web_servers: 3,
  web_type: 'cpx32',
  balancer_type: 'lb21',
  data_size: 40,
  office: ['198.51.100.0/24', '2001:db8:10::/48'],
  office_range: '10.101.0.0/16',
  domain: 'example.org',
  protected: false,
}

describeTerraform(
  'Terraform with everything together',
  (cloud) => {
    it('applies, imports, changes and destroys it', async () => {
      const workspace = cloud().open('everything')
      workspace.take('everything')
      // One web server with its name more, and another route; the rest changes in its place.
      const change = { added: 3, changed: 15, destroyed: 1 }
      // Inline networks of an imported server are unknown at first.
      await leads(workspace, { before, after, importing: { changed: 2 }, change })
    })
  },
  // Steps that take a while meet each other.
  ['--action-delay=100'],
)

drivesWhatIsSaid(import.meta.filename)
