import { Tabs } from '../../../components/page/tabs.tsx'
import { useProject } from '../../../nouns/project/project.ts'

export function SettingsTabs() {
  const { to } = useProject()
  return (
    <Tabs
      label="Settings sections"
      tabs={[
        { label: 'Project', to: to('settings'), isExact: true },
        { label: 'Webhooks', to: to('settings/hooks') },
      ]}
    />
  )
}
