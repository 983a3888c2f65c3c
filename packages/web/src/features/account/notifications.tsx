import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, SelectField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { AccountTabs } from './account-tabs.tsx'
import { texts } from './texts.ts'

const digests = [
  { value: 'off', label: texts.off },
  { value: 'daily', label: texts.daily },
  { value: 'weekly', label: texts.weeklyOnMonday },
] as const

/** Messages that the user receives by e-mail. */
export function Notifications() {
  const query = useApiQuery('GET /user/notification_settings', {})
  const action = useAction('PUT /user/notification_settings', { showsErrors: true, done: texts.notificationsSaved })
  return (
    <Page title={texts.notifications}>
      <AccountTabs />
      <Panel title={texts.eMail}>
        <QueryResult query={query}>
          {(settings) => (
            <ForWriters>
              <ActionForm
                action={action}
                submit={texts.save}
                onSubmit={(text, form) => {
                  const data = new FormData(form)
                  const chosen = digests.find(({ value }) => value === text('digest'))
                  action.mutate({
                    body: {
                      new_vulnerabilities: data.has('new_vulnerabilities'),
                      held_reports: data.has('held_reports'),
                      expiring_tokens: data.has('expiring_tokens'),
                      new_sign_ins: data.has('new_sign_ins'),
                      due_dates: data.has('due_dates'),
                      digest: chosen?.value,
                    },
                  })
                }}
              >
                <p className="muted">
                  {settings.email_enabled
                    ? texts.messagesGoTo(settings.notification_email)
                    : texts.thisServerDoesNotSend}
                </p>
                <CheckField
                  name="new_vulnerabilities"
                  label={texts.newCriticalAndHigh}
                  hint={texts.inProjectsInWhich}
                  defaultChecked={settings.new_vulnerabilities}
                />
                <CheckField
                  name="held_reports"
                  label={texts.reportsOnHold}
                  hint={texts.inProjectsThatYou}
                  defaultChecked={settings.held_reports}
                />
                <CheckField
                  name="expiring_tokens"
                  label={texts.accessTokensThatExpire}
                  hint={texts.n307And1}
                  defaultChecked={settings.expiring_tokens}
                />
                <CheckField
                  name="new_sign_ins"
                  label={texts.signInsFromNew}
                  hint={texts.fromBrowsersThatYou}
                  defaultChecked={settings.new_sign_ins}
                />
                <CheckField
                  name="due_dates"
                  label={texts.dueAndOverdueVulnerabilities}
                  hint={texts.n7DaysAnd1}
                  defaultChecked={settings.due_dates}
                />
                <SelectField
                  name="digest"
                  label={texts.digest}
                  hint={texts.newResolvedAndOpen}
                  choices={digests}
                  defaultValue={settings.digest}
                />
              </ActionForm>
            </ForWriters>
          )}
        </QueryResult>
      </Panel>
    </Page>
  )
}
