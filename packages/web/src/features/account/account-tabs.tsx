import { Tabs } from '../../components/page/tabs.tsx'

export function AccountTabs() {
  return (
    <Tabs
      label="Account"
      tabs={[
        { label: 'Profile', to: '/-/profile', isExact: true },
        { label: 'Access tokens', to: '/-/profile/tokens' },
      ]}
    />
  )
}
