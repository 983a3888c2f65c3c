import { invalid } from '../../platform/failure.ts'
import { isUsableUrl } from '../../platform/outgoing/usable-url.ts'
import type { Deps } from '../deps.ts'
import { maxDescriptionTemplate, maxTitleTemplate, placeholders, unknownPlaceholders } from './template.ts'
import type { IssueTemplates, TrackerChange, TrackerDraft } from './tracker.ts'

const maxLabels = 20

/** Throws a message for each field that is wrong. */
export function assertValidTracker({ settings }: Deps, tracker: TrackerChange): void {
  const problems = templateProblems(tracker)
  const check = (field: string, isValid: boolean, message: string) => {
    if (!isValid) problems[field] = [message]
  }
  const { url, place, token, email, labels } = tracker
  const isPlain = isUsableUrl(url, settings.webhooksReachPrivate) && !/[?#@]/.test(url)
  check('url', isPlain, 'must be the http or https URL of the tracker’s start page')
  check(
    'project',
    isPlace(tracker),
    tracker.kind === 'jira' ? 'must be the key of a project' : 'must be a path: group/project',
  )
  check('token', token === undefined || /^[\x21-\x7e]{1,500}$/.test(token), 'must be printable ASCII without spaces')
  check('email', email === null || /^[^\s:@]{1,200}@[^\s:@]{1,200}$/.test(email), 'is not an e-mail address')
  check('issue_type', /^.{1,100}$/.test(tracker.issueType), 'must have 1 to 100 characters')
  const areLabels = labels.length <= maxLabels && labels.every((label) => /^[^,\r\n]{1,100}$/.test(label))
  check('labels', areLabels, `must be at most ${maxLabels} labels without commas`)
  if (tracker.kind === 'jira') {
    check('labels', areLabels && labels.every((label) => !/\s/.test(label)), 'may not contain spaces in Jira')
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  if (place === '') throw invalid({ project: ['is empty'] })
}

/** Throws a message for each template that is wrong. */
export function assertValidTemplates(templates: IssueTemplates): void {
  const problems = templateProblems(templates)
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function templateProblems({ titleTemplate, descriptionTemplate }: IssueTemplates): Record<string, string[]> {
  const problems: Record<string, string[]> = {}
  for (const [field, template, max] of [
    ['title_template', titleTemplate, maxTitleTemplate],
    ['description_template', descriptionTemplate, maxDescriptionTemplate],
  ] as const) {
    const [unknown] = unknownPlaceholders(template)
    if (template.trim() === '' || template.length > max) problems[field] = [`must have 1 to ${max} characters`]
    if (unknown !== undefined) {
      problems[field] = [`has the unknown placeholder ${unknown}; known are ${placeholders.join(', ')}`]
    }
  }
  return problems
}

/** Returns whether the text can be the path of a project, or in Jira its key. It becomes part of URLs and of JQL. */
function isPlace({ kind, place }: Pick<TrackerDraft, 'kind' | 'place'>): boolean {
  if (kind === 'jira') return /^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(place)
  const parts = place.split('/')
  const isName = (part: string) => /^[\w.-]{1,255}$/.test(part) && !/^\.+$/.test(part)
  return parts.every(isName) && (kind === 'gitlab' ? parts.length >= 2 && parts.length <= 21 : parts.length === 2)
}
