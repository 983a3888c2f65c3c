import type { Person } from '../../users/user.ts'

/** Something that changed the vulnerabilities of a project. */
export type Activity = ImportActivity | TriageActivity | SilenceActivity

export const activityKinds = ['import', 'mass_absence', 'triage', 'silent_scanner'] as const
export type ActivityKind = (typeof activityKinds)[number]

/** Import of a report for the default branch that changed findings; `mass_absence` if it holds absences. */
export interface ImportActivity {
  kind: 'import' | 'mass_absence'
  projectId: number
  createdAt: string
  importId: number
  ref: string
  scanner: string | null
  new: number
  /** New findings of critical severity. */
  critical: number
  reappeared: number
  absent: number
  /** Absences that await a decision. */
  held: number
}

export type TriageAction = 'confirm' | 'resolve' | 'dismiss' | 'revert'

/** Decisions of one user, which follow each other. */
export interface TriageActivity {
  kind: 'triage'
  projectId: number
  createdAt: string
  author: Person | null
  action: TriageAction
  /** Number of vulnerabilities. */
  total: number
  /** The vulnerability, if there is one only. */
  vulnerability: { id: number; title: string } | null
}

/** Scanner that has stopped to report for the default branch. The entry is from the day on which it became silent. */
export interface SilenceActivity {
  kind: 'silent_scanner'
  projectId: number
  createdAt: string
  scannerId: number
  scanner: string
  lastReportAt: string
}

/** Lists of which the feed consists, each ordered by time and id, newest first. */
export const feedSources = ['imports', 'bulk', 'single', 'silences'] as const
type FeedSource = (typeof feedSources)[number]

/** Position of a row in one list. */
export interface FeedPlace {
  time: string
  id: number
}

/** The last row of each list that the previous pages contain. */
export type FeedPosition = { [Source in FeedSource]?: FeedPlace | undefined }

/** Entry of the feed with the last rows that it contains. */
export interface FeedEntry {
  activity: Activity
  through: FeedPosition
}

/** Row of a list of decisions. */
export interface Decision {
  source: 'bulk' | 'single'
  id: number
  activity: TriageActivity
}

const hourMs = 60 * 60 * 1000

/** Joins decisions of the same kind that follow each other within an hour. Both lists are newest first. */
export function joinDecisions(decisions: readonly Decision[]): FeedEntry[] {
  const joined: { activity: TriageActivity; through: FeedPosition }[] = []
  for (const { source, id, activity } of decisions) {
    const last = joined.at(-1)
    const through = { [source]: { time: activity.createdAt, id } }
    if (last && isSame(last.activity, activity)) {
      last.activity.total += activity.total
      last.activity.vulnerability = null
      Object.assign(last.through, through)
    } else joined.push({ activity: { ...activity }, through })
  }
  return joined
}

function isSame(one: TriageActivity, other: TriageActivity): boolean {
  return (
    one.projectId === other.projectId &&
    one.action === other.action &&
    one.author?.id === other.author?.id &&
    Date.parse(one.createdAt) - Date.parse(other.createdAt) < hourMs
  )
}
