/** One server. */
import { PageHead } from '../../ui/page.tsx'
export function ServerPage() {
  return <PageHead title="" />
}
