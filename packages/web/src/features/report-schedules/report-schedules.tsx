import type { BodyOf, Schemas } from '@alcove/client'
import { useContext, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { Loading, QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { GroupContext } from '../../nouns/group/group.ts'
import { ProjectContext } from '../../nouns/project/project.ts'
import { texts } from './texts.ts'

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
  const title = texts.reportsByEMail
  // What arrives later would move the form.
  if (query.isLoading || settings.isLoading) return <Loading />
  return (
    <Page title={title} crumbs={[{ label: texts.vulnerabilities, to }]} lead={texts.youReceiveTheHtml(noun)}>
      {settings.data?.email_enabled === false && <p role="status">{texts.thisServerDoesNotSend}</p>}
      <QueryResult query={query}>
        {(schedules) => <Schedules schedules={schedules} isMailOff={settings.data?.email_enabled === false} />}
      </QueryResult>
      <ForWriters kind="personal">
        <Panel title={texts.scheduleAReport}>
          <ScheduleForm />
        </Panel>
      </ForWriters>
    </Page>
  )
}

const weekdays = [
  texts.monday,
  texts.tuesday,
  texts.wednesday,
  texts.thursday,
  texts.friday,
  texts.saturday,
  texts.sunday,
].map((label, index) => ({
  value: `${index + 1}`,
  label,
}))
const monthDays = Array.from({ length: 31 }, (_, index) => ({ value: `${index + 1}`, label: `${index + 1}` }))
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: `${hour}`, label: `${`${hour}`.padStart(2, '0')}:00` }))
const periods = [
  { value: 'weekly', label: texts.everyWeek },
  { value: 'monthly', label: texts.everyMonth },
] as const

function inWords({ period, day, hour, time_zone: zone }: Schedule): string {
  const on = period === 'weekly' ? texts.every(weekdays[day - 1]?.label) : texts.everyMonthOnDay(day)
  return texts.at00(on, `${hour}`.padStart(2, '0'), zone)
}

function Schedules({ schedules, isMailOff }: { schedules: readonly Schedule[]; isMailOff: boolean }) {
  const { id, path } = usePlace()
  const remove = useAction(`DELETE ${path}/{schedule_id}`, { done: texts.scheduledReportRemoved })
  if (schedules.length === 0) return <p>{texts.youReceiveNoReport}</p>
  return (
    <Table label={texts.scheduledReports} head={[texts.schedule, texts.next, texts.last, texts.actions]}>
      {schedules.map((schedule) => (
        <tr key={schedule.id}>
          <th scope="row">{inWords(schedule)}</th>
          <td>
            {/* Without e-mail the time passes, and nothing is sent. */}
            {isMailOff ? texts.notSentEMail : <Time of={schedule.next_at} />}
          </td>
          <td>{schedule.reported_at ? <Time of={schedule.reported_at} /> : '–'}</td>
          <td>
            <Button
              size="small"
              kind="danger"
              aria-label={texts.removeSchedule(inWords(schedule))}
              onClick={() => remove.mutate({ path: { id, schedule_id: schedule.id } })}
            >
              {texts.remove}
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
  const save = useAction(`POST ${path}`, { done: texts.reportScheduled, showsErrors: true })
  return (
    <ActionForm
      action={save}
      fields={['day', 'hour', 'time_zone']}
      submit={texts.scheduleReport}
      onSubmit={(text) => {
        const body: BodyOf<'POST /groups/{id}/report_schedules'> = {
          ...{ period, day: Number(text('day')), hour: Number(text('hour')), time_zone: text('time_zone') },
        }
        save.mutate({ path: { id }, body })
      }}
    >
      <SelectField<Period> label={texts.period} choices={periods} value={period} onChoose={setPeriod} />
      <SelectField
        key={period}
        label={period === 'weekly' ? texts.weekday : texts.dayOfTheMonth}
        name="day"
        choices={period === 'weekly' ? weekdays : monthDays}
        defaultValue="1"
        hint={period === 'monthly' ? texts.aShorterMonthHas : undefined}
      />
      <SelectField label={texts.time} name="hour" choices={hours} defaultValue="8" />
      <TextField
        label={texts.timeZone}
        name="time_zone"
        required
        defaultValue={Intl.DateTimeFormat().resolvedOptions().timeZone}
        hint={texts.suchAsEuropeBerlin}
      />
    </ActionForm>
  )
}
