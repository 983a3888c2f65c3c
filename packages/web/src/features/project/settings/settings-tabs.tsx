import { useLinks } from '../../../components/page/screens.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { useProject } from '../../../nouns/project/project.ts'

export function SettingsTabs() {
  return <Tabs label="Settings sections" tabs={useLinks('settings', 'project', useProject())} />
}
