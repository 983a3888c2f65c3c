import type { BodyOf, Schemas } from '@alcove/client'
import { useContext, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { GroupContext } from '../../nouns/group/group.ts'
import { ProjectContext } from '../../nouns/project/project.ts'

type Schedule = Schemas['ReportSchedule']
type Period = Schedule['period']

const groupPath = '/groups/{id}/report_schedules'

function usePlace() {
  const project = useContext(ProjectContext)
  const group = useContext(GroupContext)
  const paths = { project: '/projects/{id}/report_schedules', group: groupPath }
  return {
    noun: project ? 'project' : 'group',
    id: project?.project.id ?? group?.group.id ?? 0,
    to: (project ?? group)?.to('vulnerabilities') ?? '/',
    // Both operations have the same types. The client fills the same parameters.
    path: paths[project ? 'project' : 'group'] as typeof groupPath,
  } as const
}

/** Reports of a project or group that the user receives by e-mail. */
export function ReportSchedules() {
  const { noun, id, path, to } = usePlace()
  const query = useApiQuery(`GET ${path}`, { path: { id } })
  const settings = useApiQuery('GET /user/notification_settings', {})
  const title = 'Reports by e-mail'
  return (
    <Page
      title={title}
      crumbs={[{ label: 'Vulnerabilities', to }]}
      lead={`You receive the HTML report of this ${noun} with the changes since the previous one. Only you receive it, while you may read its vulnerabilities.`}
    >
      {settings.data?.email_enabled === false && (
        <p role="status">
          This server does not send e-mail, so no report is sent. Schedules start when an administrator sets up e-mail.
        </p>
      )}
      <QueryResult query={query}>
        {(schedules) => <Schedules schedules={schedules} isMailOff={settings.data?.email_enabled === false} />}
      </QueryResult>
      <ForWriters>
        <Panel title="Schedule a report">
          <ScheduleForm />
        </Panel>
      </ForWriters>
    </Page>
  )
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((label, index) => ({
  value: `${index + 1}`,
  label,
}))
const monthDays = Array.from({ length: 31 }, (_, index) => ({ value: `${index + 1}`, label: `${index + 1}` }))
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: `${hour}`, label: `${`${hour}`.padStart(2, '0')}:00` }))
const periods = [
  { value: 'weekly', label: 'Every week' },
  { value: 'monthly', label: 'Every month' },
] as const

function inWords({ period, day, hour, time_zone: zone }: Schedule): string {
  const on = period === 'weekly' ? `Every ${weekdays[day - 1]?.label}` : `Every month on day ${day}`
  return `${on} at ${`${hour}`.padStart(2, '0')}:00 (${zone})`
}

function Schedules({ schedules, isMailOff }: { schedules: readonly Schedule[]; isMailOff: boolean }) {
  const { id, path } = usePlace()
  const remove = useAction(`DELETE ${path}/{schedule_id}`, { done: 'Scheduled report removed.' })
  if (schedules.length === 0) return <p>You receive no report.</p>
  return (
    <Table label="Scheduled reports" head={['Schedule', 'Next', 'Last', 'Actions']}>
      {schedules.map((schedule) => (
        <tr key={schedule.id}>
          <th scope="row">{inWords(schedule)}</th>
          <td>
            {/* Without e-mail the time passes, and nothing is sent. */}
            {isMailOff ? 'Not sent: e-mail is off' : <Time of={schedule.next_at} />}
          </td>
          <td>{schedule.reported_at ? <Time of={schedule.reported_at} /> : '–'}</td>
          <td>
            <Button
              size="small"
              kind="danger"
              aria-label={`Remove: ${inWords(schedule)}`}
              onClick={() => remove.mutate({ path: { id, schedule_id: schedule.id } })}
            >
              Remove
            </Button>
          </td>
        </tr>
      ))}
    </Table>
  )
}

function ScheduleForm() {
  const { id, path } = usePlace()
  const [period, setPeriod] = useState<Period>('weekly')
  const save = useAction(`POST ${path}`, { done: 'Report scheduled.', showsErrors: true })
  return (
    <ActionForm
      action={save}
      fields={['day', 'hour', 'time_zone']}
      submit="Schedule report"
      onSubmit={(text) => {
        const body: BodyOf<'POST /groups/{id}/report_schedules'> = {
          ...{ period, day: Number(text('day')), hour: Number(text('hour')), time_zone: text('time_zone') },
        }
        save.mutate({ path: { id }, body })
      }}
    >
      <SelectField<Period> label="Period" choices={periods} value={period} onChoose={setPeriod} />
      <SelectField
        key={period}
        label={period === 'weekly' ? 'Weekday' : 'Day of the month'}
        name="day"
        choices={period === 'weekly' ? weekdays : monthDays}
        defaultValue="1"
        hint={period === 'monthly' ? 'A shorter month has its last day instead.' : undefined}
      />
      <SelectField label="Time" name="hour" choices={hours} defaultValue="8" />
      <TextField
        label="Time zone"
        name="time_zone"
        required
        defaultValue={Intl.DateTimeFormat().resolvedOptions().timeZone}
        hint="Such as Europe/Berlin or UTC."
      />
    </ActionForm>
  )
}
