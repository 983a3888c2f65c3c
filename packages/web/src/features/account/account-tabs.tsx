import { useLinks } from '../../components/page/screens.tsx'
import { Tabs } from '../../components/page/tabs.tsx'

export function AccountTabs() {
  return <Tabs label="Account" tabs={useLinks('account', 'main')} />
}
