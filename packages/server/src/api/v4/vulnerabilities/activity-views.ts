import Type from 'typebox'
import {
  type Activity,
  activityKinds,
  type ImportActivity,
  type SilenceActivity,
  type TriageActivity,
} from '../../../domain/vulnerabilities/dashboard/activity.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { nullableString, timestamp } from '../views.ts'
import { type ProjectView, projectFields } from './dashboard-project.ts'

const importFields = Type.Object({
  id: Type.Integer(),
  ref: Type.String(),
  scanner: nullableString,
  new: Type.Integer(),
  critical: Type.Integer({ description: 'New findings of critical severity' }),
  reappeared: Type.Integer(),
  absent: Type.Integer({ description: 'Findings that are no longer detected' }),
  held: Type.Integer({ description: 'Absent findings that await a decision' }),
})

const silenceFields = Type.Object({
  name: Type.String(),
  last_report_at: Type.String({ ...timestamp, description: 'Of the default branch' }),
})

const vulnerabilityFields = Type.Object({ id: Type.Integer(), title: Type.String() })
const triageFields = Type.Object({
  action: Type.Unsafe<TriageActivity['action']>({
    type: 'string',
    enum: ['confirm', 'resolve', 'dismiss', 'revert'],
  }),
  total: Type.Integer({ description: 'Number of vulnerabilities' }),
  vulnerability: Type.Unsafe<{ id: number; title: string } | null>({
    ...vulnerabilityFields,
    type: ['object', 'null'],
    description: 'Null for several vulnerabilities',
  }),
})

export const activityView = Type.Object(
  {
    kind: Type.Unsafe<Activity['kind']>({
      type: 'string',
      enum: activityKinds,
      description: 'An import with changes, an import that holds absences, decisions, or a scanner that became silent',
    }),
    created_at: timestamp,
    project: projectFields,
    author: nullableUser,
    import: Type.Unsafe<ReturnType<typeof viewImport> | null>({ ...importFields, type: ['object', 'null'] }),
    triage: Type.Unsafe<ReturnType<typeof viewTriage> | null>({ ...triageFields, type: ['object', 'null'] }),
    silent_scanner: Type.Unsafe<ReturnType<typeof viewSilence> | null>({
      ...silenceFields,
      type: ['object', 'null'],
    }),
  },
  { title: 'SecurityActivity' },
)

const viewImport = ({ importId, ref, scanner, reappeared, absent, held, ...counts }: ImportActivity) => ({
  id: importId,
  ref,
  scanner,
  new: counts.new,
  critical: counts.critical,
  reappeared,
  absent,
  held,
})

const viewTriage = ({ action, total, vulnerability }: TriageActivity) => ({ action, total, vulnerability })

const viewSilence = ({ scanner, lastReportAt }: SilenceActivity) => ({ name: scanner, last_report_at: lastReportAt })

export const viewActivity = (row: Activity, project: ProjectView, origin: string) => ({
  kind: row.kind,
  created_at: row.createdAt,
  project,
  author: row.kind === 'triage' && row.author ? viewBasicUser(row.author, origin) : null,
  import: row.kind === 'import' || row.kind === 'mass_absence' ? viewImport(row) : null,
  triage: row.kind === 'triage' ? viewTriage(row) : null,
  silent_scanner: row.kind === 'silent_scanner' ? viewSilence(row) : null,
})
