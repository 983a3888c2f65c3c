import { useLinks } from '../../../components/page/screens.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from '../texts.ts'

export function SettingsTabs() {
  return <Tabs label={texts.settingsSections} tabs={useLinks('settings', 'project', useProject())} />
}
