import type { Namespace } from '../../namespaces/namespace.ts'
import type { Project } from '../../projects/project.ts'

export const reportPeriods = ['weekly', 'monthly'] as const

/** Times at which reports are sent. */
export interface ReportTimes {
  period: (typeof reportPeriods)[number]
  /** 1 (Monday) to 7 of a week, or 1 to 31 of a month. Shorter months have their last day instead. */
  day: number
  hour: number
  /** IANA name, such as `Europe/Berlin`. */
  timeZone: string
}

/** A user's request to receive the report of a project or group by e-mail. */
export interface ReportSchedule extends ReportTimes {
  id: number
  projectId: number | null
  namespaceId: number | null
  userId: number
  asAdmin: boolean
  nextAt: string
  /** Time of the data of the last report that was sent. */
  reportedAt: string | null
  createdAt: string
  updatedAt: string
}

export type ReportPlace = { project: Project; group?: undefined } | { group: Namespace; project?: undefined }
