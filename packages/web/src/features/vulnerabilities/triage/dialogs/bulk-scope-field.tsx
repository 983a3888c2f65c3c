import { useQuery } from '@tanstack/react-query'
import { useContext } from 'react'
import styles from '../../../../components/form/field.module.css'
import { Field } from '../../../../components/form/field.tsx'
import { formatCount } from '../../../../components/format.ts'
import { usePage } from '../../../../data/api.ts'
import { GroupContext } from '../../../../nouns/group/group.ts'
import { ProjectContext } from '../../../../nouns/project/project.ts'
import { GroupOptions, groupIdOf, lineageOf } from '../../../../nouns/vulnerability/group-options.tsx'
import { previewChange, type ScopeChange } from '../bulk-requests.ts'
import type { Change, Target } from '../triage-change.ts'
import { texts } from './texts.ts'

/** Maximum number of vulnerabilities that one request dismisses in a group. */
const maxInGroup = 100

/** How far a dismissal of several vulnerabilities reaches: all branches, one branch, or all projects of a group. */
export function BulkScopeField({
  target,
  value,
  onChoose,
}: {
  target: Target
  value: string
  onChoose: (value: string) => void
}) {
  const { owner } = target
  const paths = useGroupPaths(target)
  const refs = usePage(
    'GET /projects/{id}/refs',
    { path: { id: owner.kind === 'project' ? owner.id : 0 }, query: { per_page: 100 } },
    { isEnabled: owner.kind === 'project' },
  )
  const names = (refs.data?.rows ?? []).map(({ name }) => name)
  const count = 'rows' in target ? target.rows.length : target.count
  const isTooLarge = count === undefined || count > maxInGroup
  if (names.length < 2 && paths.length === 0) return null
  const hint = texts.forAGroupSelect(maxInGroup)
  return (
    <Field label={texts.appliesTo} hint={paths.length > 0 && isTooLarge ? hint : undefined}>
      {(ids) => (
        <select {...ids} className={styles.input} value={value} onChange={({ target: { value } }) => onChoose(value)}>
          <option value="">{texts.allBranches}</option>
          {names.length > 1 &&
            names.map((name) => (
              <option key={name} value={`ref:${name}`}>
                {texts.thisBranch(name)}
              </option>
            ))}
          {!isTooLarge && <GroupOptions paths={paths} />}
        </select>
      )}
    </Field>
  )
}

/** Returns the paths of the groups above everything that is selected, from below. */
function useGroupPaths(target: Target): string[] {
  const project = useContext(ProjectContext)
  const group = useContext(GroupContext)
  if ('rows' in target) return commonLineage(target.rows.map(({ projectPath }) => projectPath))
  const { kind, full_path: path = '' } = project?.project.namespace ?? {}
  if (target.owner.kind === 'project') return kind === 'group' ? lineageOf(path) : []
  return target.owner.kind === 'group' && group ? lineageOf(group.group.full_path) : []
}

function commonLineage(projects: readonly string[]): string[] {
  const [first = [], ...others] = projects.map((path) => path.split('/').slice(0, -1))
  const differs = first.findIndex((part, index) => others.some((parts) => parts[index] !== part))
  return lineageOf((differs < 0 ? first : first.slice(0, differs)).join('/'))
}

/** Returns the scope of a dismissal for a chosen option. */
export function bulkScopeOf(chosen: string): NonNullable<Change['scope']> | undefined {
  if (chosen.startsWith('ref:')) return { scope: 'ref', ref: chosen.slice('ref:'.length) }
  const group_id = groupIdOf(chosen)
  return group_id === undefined ? undefined : { scope: 'group', group_id }
}

/** What a dismissal in a group would change, there and in other projects. */
export function GroupEffect({ change, target }: { change: Change; target: Target }) {
  const preview = useQuery({
    queryKey: ['dry run', change, target],
    queryFn: () => previewChange(change, target),
    gcTime: 0,
    retry: false,
  })
  return (
    <div aria-live="polite" aria-busy={preview.isPending} className="small">
      {preview.isPending && <p className="muted">{texts.checkingWhatItWould}</p>}
      {preview.error && <p role="alert">{preview.error.message}</p>}
      {preview.data && <p>{effectInWords(preview.data)}</p>}
    </div>
  )
}

function effectInWords({ changed, unchanged, in_group: inGroup, skipped }: ScopeChange): string {
  const parts = [texts.dismissesSelectedVulnerabilities(changed)]
  const total = texts.vulnerabilitiesInGroup(inGroup ?? changed)
  parts.push(texts.withTheSameFlaws(total))
  if (unchanged > 0) parts.push(texts.unchangedAlreadyDismissedOrInNeed(formatCount(unchanged)))
  if (skipped.length > 0) {
    const paths = skipped.slice(0, 5).map(({ path_with_namespace: path }) => path)
    parts.push(texts.skippedBecauseYouMay(paths.join(', ')))
  }
  return parts.join(' ')
}
