import { ForWriters } from '../../components/form/for-writers.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLinks } from '../../components/page/screens.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { useGroup } from '../../nouns/group/group.ts'
import { RulePanel } from './approval-rule.tsx'
import { texts } from './texts.ts'

/** Settings of a group: the rule that requires a second person for dismissals. */
export function GroupApprovalRule() {
  const place = useGroup()
  const links = useLinks('settings', 'group', place)
  return (
    <Page title={texts.approvalRule} lead={texts.dismissalsFromThisSeverity}>
      <Tabs label={texts.settingsSections} tabs={links} />
      <ForWriters>
        <RulePanel noun="group" id={place.group.id} />
      </ForWriters>
    </Page>
  )
}
