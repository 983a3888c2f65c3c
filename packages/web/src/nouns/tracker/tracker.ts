import type { Schemas } from '@alcove/client'

export type Tracker = Schemas['IssueTracker']
export type TrackerKind = Tracker['kind']

export const trackerKinds: readonly { value: TrackerKind; label: string }[] = [
  { value: 'gitlab', label: 'GitLab' },
  { value: 'github', label: 'GitHub' },
  { value: 'gitea', label: 'Gitea or Forgejo' },
  { value: 'jira', label: 'Jira' },
]

/** Describes where issues are created, such as `acme/shop on gitlab.com`. */
export function trackerInWords({ url, project }: Pick<Tracker, 'url' | 'project'>): string {
  return `${project} on ${URL.canParse(url) ? new URL(url).host : url}`
}
