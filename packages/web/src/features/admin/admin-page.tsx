import { TrailContext } from '../../components/page/breadcrumbs.tsx'
import { Screens, useLinks } from '../../components/page/screens.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { texts } from './texts.ts'

const trail = { parents: [{ label: texts.admin, to: '/-/admin' }] }

/** Admin area. Requires administrator rights. */
export function AdminPage() {
  return (
    <div className="stack">
      <Tabs label={texts.administration} tabs={useLinks('tabs', 'admin')} />
      <TrailContext value={trail}>
        <Screens area="admin" />
      </TrailContext>
    </div>
  )
}
