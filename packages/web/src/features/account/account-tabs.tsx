import { useLinks } from '../../components/page/screens.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { texts } from './texts.ts'

export function AccountTabs() {
  return <Tabs label={texts.account} tabs={useLinks('account', 'main')} />
}
