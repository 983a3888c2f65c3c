import type { Schemas } from '@alcove/client'
import { Panel } from '../../components/page/page.tsx'
import { Evaluated, RulePreview } from '../vulnerability-rules/rule-preview.tsx'
import { texts } from './texts.ts'

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
            <li key={`${line} ${message}`}>{texts.line(line, message)}</li>
          ))}
        </ul>
      )}
      {first && (
        <p className="muted">
          {texts.effectsOnExistingVulnerabilities} <Evaluated of={first} />
        </p>
      )}
      {file.rule_previews.map((preview, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names of rules may repeat, and a preview never changes its order
        <details key={index} open={preview.changed > 0}>
          <summary>{texts.vulnerabilitiesWouldChange(preview.name, changes[preview.change], preview.changed)}</summary>
          <div className="stack-tight">
            <RulePreview preview={preview} of={preview.name} />
          </div>
        </details>
      ))}
    </Panel>
  )
}

function summaryOf({ status, rules, assigned }: File, isDryRun: boolean): string {
  if (status === 'ignored') return texts.theFileHasNo
  if (status === 'unchanged') return texts.theProjectHasThisFile
  const parts = [texts.rule(rules), ...(assigned > 0 ? [texts.vulnerabilitiesAssigned(assigned)] : [])]
  return `${isDryRun ? texts.theImportAppliesTheFile : texts.applied}: ${parts.join(', ')}.`
}
