/** Creating a server. */
import { PageHead } from '../../ui/page.tsx'
export function NewServerPage() {
  return <PageHead title="" />
}
