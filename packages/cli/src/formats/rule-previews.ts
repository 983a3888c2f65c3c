import type { Schemas } from '@alcove/client'
import { counted } from '../counted.ts'
import { plain, shorten } from '../safe-text.ts'
import type { UploadResult } from '../upload/upload-result.ts'
import type { Palette } from './palette.ts'

type RulePreview = Schemas['ProjectFileRulePreview']
type Shown = RulePreview['samples'][number]['before']

const maxNameLength = 100

const counts: readonly (readonly [name: keyof RulePreview, label: string])[] = [
  ['dismissed', 'dismissed'],
  ['severity', 'with a new severity'],
  ['assigned', 'assigned'],
  ['due_date', 'with a new due date'],
  ['tagged', 'tagged'],
  ['kept', 'kept by the decision of a user'],
  ['needs_approval', 'not dismissed without approval'],
  ['reverted', 'reverted'],
]

/** Returns what the rules of files would change in a dry run. */
export function rulePreviewLines({ reports, isDryRun }: UploadResult, paint: Palette): string[] {
  if (!isDryRun) return []
  return reports
    .flatMap((report) => report.import.project_files)
    .filter((file) => file.rule_previews.length > 0)
    .flatMap((file) => [
      paint.bold(`Rules of ${plain(file.path)}`),
      ...file.rule_previews.flatMap((preview) => linesOf(preview, paint)),
    ])
}

function linesOf(preview: RulePreview, paint: Palette): string[] {
  const { name, change, matched, changed, samples } = preview
  const effects = counts.flatMap(([field, label]) => (preview[field] ? `${preview[field]} ${label}` : []))
  const found = change === 'removed' ? [] : [`${matched} matched`]
  const summary = [...found, `${changed} would change`, ...effects].join(', ')
  const rest = changed - samples.length
  return [
    `  ${shorten(plain(name), maxNameLength)} (${change}): ${summary}`,
    ...samples.map(({ title, before, after }) =>
      paint.dim(`    ${shorten(plain(title), maxNameLength)}: ${differences(before, after).join('; ')}`),
    ),
    ...(samples.length > 0 && rest > 0
      ? [paint.dim(`    and ${counted(rest, 'more vulnerability', 'more vulnerabilities')}`)]
      : []),
  ]
}

/** Returns what differs, such as `detected -> dismissed`. */
function differences(before: Shown, after: Shown): string[] {
  const added = after.tags.filter((tag) => !before.tags.includes(tag))
  const removed = before.tags.filter((tag) => !after.tags.includes(tag))
  const due = (day: string | null) => (day === null ? 'no due date' : `due ${day}`)
  const changes = [
    before.state !== after.state && `${before.state} -> ${after.state}`,
    before.severity !== after.severity && `${before.severity} -> ${after.severity}`,
    before.assignee_id !== after.assignee_id && (after.assignee_id === null ? 'unassigned' : 'assigned'),
    before.due_on !== after.due_on && `${due(before.due_on)} -> ${due(after.due_on)}`,
    added.length > 0 && `tagged ${added.map(plain).join(', ')}`,
    removed.length > 0 && `not tagged ${removed.map(plain).join(', ')}`,
  ].filter((change) => change !== false)
  return changes.length > 0 ? changes : ['details of the decision']
}
