import { Screens, useLinks } from '../../components/page/screens.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { texts } from './texts.ts'

/** Admin area. Requires administrator rights. */
export function AdminPage() {
  return (
    <div className="stack">
      <Tabs label={texts.administration} tabs={useLinks('tabs', 'admin')} />
      <Screens area="admin" />
    </div>
  )
}
