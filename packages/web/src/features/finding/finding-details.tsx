import { inWords, reportTypeInWords } from '../../components/format.ts'
import { Panel } from '../../components/page/page.tsx'
import { CvssFact, Facts, type Finding, FindingFacts, Outside } from '../../nouns/finding/facts.tsx'
import { Matches } from '../../nouns/finding/matches.tsx'
import { useProject } from '../../nouns/project/project.ts'
import columns from '../vulnerability/vulnerability-page.module.css'
import { texts } from './texts.ts'

/** Details of a finding, which its page and the panel of the list share. */
export function FindingDetails({ finding, isPanel = false }: { finding: Finding; isPanel?: boolean }) {
  const { project } = useProject()
  const Aside = isPanel ? 'div' : 'aside'
  return (
    <div className={isPanel ? 'stack' : columns.columns}>
      <div className="stack">
        <FindingFacts finding={finding} project={project.path_with_namespace} />
      </div>
      <Aside className="stack" {...(!isPanel && { 'aria-label': texts.details })}>
        <Panel title={texts.details}>
          <Facts
            facts={[
              ['CVSS', finding.cvss.length > 0 && <CvssFact key="cvss" cvss={finding.cvss} />],
              [texts.reportType, reportTypeInWords(finding.report_type)],
              [texts.scanner, [finding.scanner.name, finding.scanner.vendor].filter(Boolean).join(' · ')],
              [texts.confidence, finding.confidence === 'unknown' ? undefined : inWords(finding.confidence)],
              [
                texts.identifiers,
                <ul key="identifiers" className={columns.identifiers}>
                  {finding.identifiers.map(({ name, url }) => (
                    <li key={name}>{url ? <Outside url={url}>{name}</Outside> : name}</li>
                  ))}
                </ul>,
              ],
              ['UUID', <code key="uuid">{finding.uuid}</code>],
            ]}
          />
        </Panel>
        <Matches findingId={finding.id} />
      </Aside>
    </div>
  )
}
