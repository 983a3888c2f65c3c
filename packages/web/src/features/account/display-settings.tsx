import type { Schemas } from '@alcove/client'
import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, SelectField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { formatTime } from '../../components/format.ts'
import { Page, Panel } from '../../components/page/page.tsx'
import { useAction } from '../../data/api.ts'
import { useDisplay } from '../../data/display.ts'
import { forgetDensity } from '../vulnerabilities/grid/view-options.ts'
import { forgetKeyChoice } from '../vulnerabilities/triage/keys.ts'
import { AccountTabs } from './account-tabs.tsx'

type Display = Schemas['DisplaySettings']

const dateFormats: readonly { value: Display['date_format']; label: string }[] = [
  { value: 'browser', label: 'As in the browser' },
  { value: 'iso', label: '2026-01-31 13:05' },
  { value: 'day_month', label: '31 Jan 2026, 13:05' },
  { value: 'month_day', label: 'Jan 31, 2026, 1:05 PM' },
]
const densities: readonly { value: Display['density']; label: string }[] = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
]

/** How dates, lists and keyboard shortcuts are shown to the user, on every device. */
export function DisplaySettings() {
  const settings = useDisplay()
  const action = useAction('PUT /user/display_settings', {
    showsErrors: true,
    done: 'Display settings saved.',
    onDone() {
      // Older choices of this browser would win over the settings.
      forgetDensity()
      forgetKeyChoice()
    },
  })
  const zones = Intl.supportedValuesOf('timeZone')
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Page title="Display">
      <AccountTabs />
      <Panel title="Dates and lists">
        <ForWriters>
          <ActionForm
            action={action}
            fields={['time_zone']}
            submit="Save"
            onSubmit={(text, form) =>
              action.mutate({
                body: {
                  time_zone: text('time_zone'),
                  date_format: dateFormats.find(({ value }) => value === text('date_format'))?.value,
                  density: densities.find(({ value }) => value === text('density'))?.value,
                  page_keys: new FormData(form).has('page_keys'),
                },
              })
            }
          >
            <SelectField
              name="time_zone"
              label="Time zone"
              hint={`Now: ${formatTime(new Date().toISOString())}`}
              choices={[
                { value: '', label: `As in the browser (${here})` },
                ...['UTC', ...zones.filter((zone) => zone !== 'UTC')].map((zone) => ({ value: zone, label: zone })),
              ]}
              defaultValue={settings.time_zone ?? ''}
            />
            <SelectField
              name="date_format"
              label="Date format"
              choices={dateFormats}
              defaultValue={settings.date_format}
            />
            <SelectField name="density" label="Density of lists" choices={densities} defaultValue={settings.density} />
            <CheckField
              name="page_keys"
              label="Enable shortcuts page-wide"
              hint="Otherwise shortcuts work only while the list has focus."
              defaultChecked={settings.page_keys}
            />
          </ActionForm>
        </ForWriters>
      </Panel>
    </Page>
  )
}
