import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, SelectField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { AccountTabs } from './account-tabs.tsx'

const digests = [
  { value: 'off', label: 'Off' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly, on Monday' },
] as const

/** Messages that the user receives by e-mail. */
export function Notifications() {
  const query = useApiQuery('GET /user/notification_settings', {})
  const action = useAction('PUT /user/notification_settings', { showsErrors: true, done: 'Notifications saved.' })
  return (
    <Page title="Notifications">
      <AccountTabs />
      <Panel title="E-mail">
        <QueryResult query={query}>
          {(settings) => (
            <ForWriters>
              <ActionForm
                action={action}
                submit="Save"
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
                    ? `Messages go to ${settings.notification_email}.`
                    : 'This server does not send e-mail. Your choice applies once an administrator configures it.'}
                </p>
                <CheckField
                  name="new_vulnerabilities"
                  label="New critical and high vulnerabilities"
                  hint="In projects in which you are a developer or higher. One message per project."
                  defaultChecked={settings.new_vulnerabilities}
                />
                <CheckField
                  name="held_reports"
                  label="Reports on hold"
                  hint="In projects that you maintain."
                  defaultChecked={settings.held_reports}
                />
                <CheckField
                  name="expiring_tokens"
                  label="Access tokens that expire"
                  hint="30, 7 and 1 days before, for your tokens and for those of projects and groups that you manage."
                  defaultChecked={settings.expiring_tokens}
                />
                <CheckField
                  name="new_sign_ins"
                  label="Sign-ins from new browsers"
                  hint="From browsers that you have not used before."
                  defaultChecked={settings.new_sign_ins}
                />
                <CheckField
                  name="due_dates"
                  label="Due and overdue vulnerabilities"
                  hint="7 days and 1 day before the due date, and once overdue, in projects in which you may triage. At most one message a day."
                  defaultChecked={settings.due_dates}
                />
                <SelectField
                  name="digest"
                  label="Digest"
                  hint="New, resolved and open vulnerabilities of your projects. Not sent when nothing has changed."
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
