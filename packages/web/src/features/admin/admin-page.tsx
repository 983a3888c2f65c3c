import { Screens, useLinks } from '../../components/page/screens.tsx'
import { Tabs } from '../../components/page/tabs.tsx'

/** Admin area. Requires administrator rights. */
export function AdminPage() {
  return (
    <div className="stack">
      <Tabs label="Administration" tabs={useLinks('tabs', 'admin')} />
      <Screens area="admin" />
    </div>
  )
}
