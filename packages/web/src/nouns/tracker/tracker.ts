import type { Schemas } from '@alcove/client'
import { texts } from './texts.ts'

export type Tracker = Schemas['IssueTracker']
export type TrackerKind = Tracker['kind']

export const trackerKinds: readonly { value: TrackerKind; label: string }[] = [
  { value: 'gitlab', label: texts.gitlab },
  { value: 'github', label: texts.github },
  { value: 'gitea', label: texts.giteaOrForgejo },
  { value: 'jira', label: texts.jira },
]

/** Describes where issues are created, such as `acme/shop on gitlab.com`. */
export function trackerInWords({ url, project }: Pick<Tracker, 'url' | 'project'>): string {
  return texts.on(project, URL.canParse(url) ? new URL(url).host : url)
}
