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
import { texts } from './texts.ts'

type Display = Schemas['DisplaySettings']

const dateFormats: readonly { value: Display['date_format']; label: string }[] = [
  { value: 'browser', label: texts.asInTheBrowser },
  { value: 'iso', label: '2026-01-31 13:05' },
  { value: 'day_month', label: texts.n31Jan202613 },
  { value: 'month_day', label: texts.jan3120261 },
]
const numberFormats: readonly { value: Display['number_format']; label: string }[] = [
  { value: 'browser', label: texts.asInTheBrowser },
  { value: 'comma', label: '1,234.5' },
  { value: 'point', label: '1.234,5' },
  { value: 'space', label: '1 234,5' },
]
const times: readonly { value: Display['times']; label: string }[] = [
  { value: 'relative', label: texts.relativeTimes },
  { value: 'absolute', label: texts.datesAndTimes },
]
const densities: readonly { value: Display['density']; label: string }[] = [
  { value: 'comfortable', label: texts.comfortable },
  { value: 'compact', label: texts.compact },
]

/** How dates, numbers, lists and keyboard shortcuts are shown to the user, on every device. */
export function DisplaySettings() {
  const settings = useDisplay()
  const action = useAction('PUT /user/display_settings', {
    showsErrors: true,
    done: texts.displaySettingsSaved,
    onDone() {
      // Older choices of this browser would win over the settings.
      forgetDensity()
      forgetKeyChoice()
    },
  })
  const zones = Intl.supportedValuesOf('timeZone')
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Page title={texts.display}>
      <AccountTabs />
      <Panel title={texts.datesAndLists}>
        <ForWriters>
          <ActionForm
            action={action}
            fields={['time_zone']}
            submit={texts.save}
            onSubmit={(text, form) =>
              action.mutate({
                body: {
                  time_zone: text('time_zone'),
                  date_format: dateFormats.find(({ value }) => value === text('date_format'))?.value,
                  number_format: numberFormats.find(({ value }) => value === text('number_format'))?.value,
                  times: times.find(({ value }) => value === text('times'))?.value,
                  density: densities.find(({ value }) => value === text('density'))?.value,
                  page_keys: new FormData(form).has('page_keys'),
                },
              })
            }
          >
            <SelectField
              name="time_zone"
              label={texts.timeZone}
              hint={texts.now(formatTime(new Date().toISOString()))}
              choices={[
                { value: '', label: texts.asInTheBrowserHere(here) },
                // The server accepts more names than the browser lists.
                ...[...new Set(['UTC', ...zones, ...(settings.time_zone ? [settings.time_zone] : [])])].map((zone) => ({
                  value: zone,
                  label: zone,
                })),
              ]}
              defaultValue={settings.time_zone ?? ''}
            />
            <SelectField
              name="date_format"
              label={texts.dateFormat}
              choices={dateFormats}
              defaultValue={settings.date_format}
            />
            <SelectField name="times" label={texts.times} choices={times} defaultValue={settings.times} />
            <SelectField
              name="number_format"
              label={texts.numberFormat}
              hint={texts.alsoForSizes}
              choices={numberFormats}
              defaultValue={settings.number_format}
            />
            <SelectField
              name="density"
              label={texts.densityOfLists}
              choices={densities}
              defaultValue={settings.density}
            />
            <CheckField
              name="page_keys"
              label={texts.enableShortcutsPageWide}
              hint={texts.otherwiseShortcutsWorkOnly}
              defaultChecked={settings.page_keys}
            />
          </ActionForm>
        </ForWriters>
      </Panel>
    </Page>
  )
}
