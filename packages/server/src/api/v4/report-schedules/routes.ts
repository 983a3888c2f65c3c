import Type, { type Static } from 'typebox'
import {
  type ReportPlace,
  type ReportSchedule,
  type ReportTimes,
  reportPeriods,
} from '../../../domain/exports/schedules/report-schedule.ts'
import {
  changeSchedule,
  createSchedule,
  findSchedules,
  getSchedule,
  removeSchedule,
} from '../../../domain/exports/schedules/report-schedules.ts'
import { integer, oneOf, optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableTimestamp, timestamp } from '../views.ts'

const scheduleView = Type.Object(
  {
    id: Type.Integer(),
    project_id: nullableInteger,
    group_id: nullableInteger,
    period: Type.Enum([...reportPeriods]),
    day: Type.Integer(),
    hour: Type.Integer(),
    time_zone: Type.String(),
    next_at: timestamp,
    reported_at: {
      ...nullableTimestamp,
      description: 'Time of the last report that was sent, with which the next one compares',
    },
    created_at: timestamp,
    updated_at: timestamp,
  },
  { title: 'ReportSchedule' },
)

const viewSchedule = (schedule: ReportSchedule) => ({
  id: schedule.id,
  project_id: schedule.projectId,
  group_id: schedule.namespaceId,
  period: schedule.period,
  day: schedule.day,
  hour: schedule.hour,
  time_zone: schedule.timeZone,
  next_at: schedule.nextAt,
  reported_at: schedule.reportedAt,
  created_at: schedule.createdAt,
  updated_at: schedule.updatedAt,
})

const period = { description: 'How often the report is sent' }
const day = {
  minimum: 1,
  maximum: 31,
  description: 'Day of the week, 1 (Monday) to 7, or of the month, 1 to 31; shorter months have their last day instead',
}
const hour = { minimum: 0, maximum: 23, description: 'Hour in the time zone' }
const timeZone = { allowBlank: false, description: 'Name of the time zone, such as Europe/Berlin' }

const createInput = Type.Object({
  period: oneOf(reportPeriods, { ...period, default: 'weekly' }),
  day: integer({ ...day, default: 1 }),
  hour: integer({ ...hour, default: 8 }),
  time_zone: text({ ...timeZone, default: 'UTC' }),
})
const changeFields = {
  period: optional(oneOf(reportPeriods, period)),
  day: optional(integer(day)),
  hour: optional(integer(hour)),
  time_zone: optional(text(timeZone)),
}
const changeInput = Type.Object(changeFields)
const idField = { schedule_id: integer() }

const timesFrom = ({ period, day, hour, time_zone: timeZone }: Static<typeof createInput>): ReportTimes => ({
  ...{ period, day, hour, timeZone },
})

const changesFrom = ({ period, day, hour, time_zone: timeZone }: Static<typeof changeInput>): Partial<ReportTimes> => ({
  ...(period && { period }),
  ...(day !== undefined && { day }),
  ...(hour !== undefined && { hour }),
  ...(timeZone !== undefined && { timeZone }),
})

const permissions = {
  project: { read: 'report-schedule.read', write: 'report-schedule.write' },
  group: { read: 'group.report-schedule.read', write: 'group.report-schedule.write' },
} as const

/** Returns the place of a request. A row of the permissions that is on a group provides one, and so on. */
const placeOf = (context: object) => context as ReportPlace // the guard provides what the permission's row promises

function routesOf(kind: 'project' | 'group'): Route[] {
  const path = `/${kind}s/:id/report_schedules`
  const one = `${path}/:schedule_id`
  const may = permissions[kind]
  return [
    route({
      method: 'GET',
      path,
      summary: `List your scheduled reports of a ${kind}`,
      permission: may.read,
      status: 200,
      output: Type.Array(scheduleView),
      unknownFilters: 'refused',
      handle: async (context) =>
        (await findSchedules(context.deps, placeOf(context), context.caller)).map(viewSchedule),
    }),
    route({
      method: 'GET',
      path: one,
      summary: `Get one of your scheduled reports of a ${kind}`,
      permission: may.read,
      input: Type.Object(idField),
      status: 200,
      output: scheduleView,
      handle: async (context) =>
        viewSchedule(await getSchedule(context.deps, placeOf(context), context.caller, context.input.schedule_id)),
    }),
    route({
      method: 'POST',
      path,
      summary: `Receive the report of a ${kind} by e-mail every week or month`,
      permission: may.write,
      input: createInput,
      status: 201,
      output: scheduleView,
      handle: async (context) =>
        viewSchedule(await createSchedule(context.deps, placeOf(context), context.caller, timesFrom(context.input))),
    }),
    route({
      method: 'PUT',
      path: one,
      summary: `Change when you receive a report of a ${kind}`,
      permission: may.write,
      input: Type.Object({ ...idField, ...changeFields }, { atLeastOneOf: [Object.keys(changeFields)] }),
      status: 200,
      output: scheduleView,
      async handle({ deps, caller, input, ...context }) {
        const changes = { id: input.schedule_id, changes: changesFrom(input) }
        return viewSchedule(await changeSchedule(deps, placeOf(context), caller, changes))
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: `Stop receiving a report of a ${kind}`,
      permission: may.write,
      input: Type.Object(idField),
      status: 204,
      output: noOutput,
      handle: (context) => removeSchedule(context.deps, placeOf(context), context.caller, context.input.schedule_id),
    }),
  ]
}

export const reportScheduleRoutes: readonly Route[] = [...routesOf('project'), ...routesOf('group')]
