import type { Schemas } from '@alcove/client'
import { counted } from '../../components/format.ts'
import { Panel } from '../../components/page/page.tsx'
import { Evaluated, RulePreview } from '../vulnerability-rules/rule-preview.tsx'

type File = Schemas['ProjectFileEffect']

const changes: Record<File['rule_previews'][number]['change'], string> = {
  created: 'new',
  updated: 'changed',
  unchanged: 'unchanged',
  removed: 'removed',
}

/** What a file of the repository did or, in a dry run, would do. */
export function FileEffect({ file, isDryRun }: { file: File; isDryRun: boolean }) {
  const [first] = file.rule_previews
  return (
    <Panel title={file.path}>
      <p>{summaryOf(file, isDryRun)}</p>
      {file.warnings.length > 0 && (
        <ul>
          {file.warnings.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              Line {line}: {message}
            </li>
          ))}
        </ul>
      )}
      {first && (
        <p className="muted">
          Effects on existing vulnerabilities. <Evaluated of={first} />
        </p>
      )}
      {file.rule_previews.map((preview, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names of rules may repeat, and a preview never changes its order
        <details key={index} open={preview.changed > 0}>
          <summary>
            {preview.name} ({changes[preview.change]}): {counted(preview.changed, 'vulnerability', 'vulnerabilities')}{' '}
            would change
          </summary>
          <div className="stack-tight">
            <RulePreview preview={preview} of={preview.name} />
          </div>
        </details>
      ))}
    </Panel>
  )
}

function summaryOf({ status, rules, assigned }: File, isDryRun: boolean): string {
  if (status === 'ignored') return 'The file has no effect. See the warnings.'
  if (status === 'unchanged') return 'The project has this file already.'
  const parts = [
    counted(rules, 'rule'),
    ...(assigned > 0 ? [`${counted(assigned, 'vulnerability', 'vulnerabilities')} assigned`] : []),
  ]
  return `${isDryRun ? 'The import applies the file' : 'Applied'}: ${parts.join(', ')}.`
}
