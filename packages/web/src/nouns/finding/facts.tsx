import type { Schemas } from '@alcove/client'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { SeverityBadge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { inWords } from '../../components/format.ts'
import { Markdown } from '../../components/markdown.tsx'
import { Panel } from '../../components/page/page.tsx'
import { Diff, SnippetCode } from './code/code-lines.tsx'
import { sarifFixesIn } from './code/sarif-fix.ts'
import { dataFlowsIn, isCodeFlows } from './data-flow.ts'
import { DataFlowPanel } from './data-flow-panel.tsx'
import styles from './facts.module.css'
import { linesInWords, packageInWords, textAt } from './place.ts'
import { type Snippet, snippetIn } from './snippet.ts'
import { texts } from './texts.ts'

export type Finding = Schemas['Finding']

/** Data of a scanner result, shown on the pages of findings and vulnerabilities alike. */
export function FindingFacts({
  finding,
  rawMetadata,
  project,
}: {
  finding: Finding
  rawMetadata?: string
  project: string
}) {
  const snippet = rawMetadata === undefined ? undefined : snippetIn(rawMetadata, finding.location)
  return (
    <>
      <LocationPanel location={finding.location} snippet={snippet} />
      <DataFlowPanel flows={dataFlowsIn(finding.details, rawMetadata)} />
      <Panel title={texts.description}>
        {finding.description ? (
          <Markdown text={finding.description} project={project} />
        ) : (
          <p className="muted">{texts.theScannerProvidedNo}</p>
        )}
      </Panel>
      {finding.solution && (
        <Panel title={texts.solution}>
          <Markdown text={finding.solution} project={project} />
        </Panel>
      )}
      <SuggestedFixes finding={finding} rawMetadata={rawMetadata} />
      <Evidence finding={finding} />
      <Details details={finding.details} />
      {finding.links.length > 0 && (
        <Panel title={texts.references}>
          <ul className="stack-tight small">
            {finding.links.map(({ name, url }) => (
              <li key={url}>
                <Outside url={url}>{name ?? url}</Outside>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}

/** External link. Text that is not an HTTP URL is shown without a link. */
export function Outside({ url, children }: { url: string; children: ReactNode }) {
  if (!/^https?:\/\//i.test(url)) return <span className={styles.breaking}>{children}</span>
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" className={styles.outside}>
      {children}
      <ExternalLink size={13} aria-hidden="true" />
      <span className="visually-hidden"> {texts.opensInANew}</span>
    </a>
  )
}

/** List of names and values, without those that have no value. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

function LocationPanel({ location, snippet }: { location: Record<string, unknown>; snippet: Snippet | undefined }) {
  const text = (...names: string[]) => textAt(location, ...names)
  const file = text('file')
  const place = file && file + linesInWords(location)
  const url = [text('hostname'), text('path')].filter(Boolean).join('')
  return (
    <Panel title={texts.location} actions={place && <CopyButton text={place} label={texts.copyPath} />}>
      <Facts
        facts={[
          [texts.file, place && <code>{place}</code>],
          [texts.classLabel, text('class')],
          [texts.method, url ? undefined : text('method')],
          [texts.package, packageInWords(location)],
          [texts.image, text('image')],
          [texts.operatingSystem, text('operating_system')],
          ['URL', url && <code>{[text('method'), url].filter(Boolean).join(' ')}</code>],
          [texts.parameter, text('param') ?? text('parameter')],
          [texts.commit, text('commit', 'sha') && <code>{text('commit', 'sha')}</code>],
          [texts.container, text('kubernetes_resource', 'container_name')],
          [texts.crash, [text('crash_type'), text('crash_state'), text('crash_address')].filter(Boolean).join(' · ')],
        ]}
      />
      {snippet && <SnippetCode snippet={snippet} file={file} />}
    </Panel>
  )
}

/** CVSS vectors of a finding with their scores. The severity follows the overall score. */
export function CvssFact({ cvss }: Pick<Finding, 'cvss'>) {
  return (
    <ul className={styles.cvss}>
      {cvss.map(({ vendor, vector, version, base_score: base, overall_score: overall, severity }) => (
        <li key={vendor + vector}>
          <span className="row-wrap">
            {severity !== null && severity !== 'none' && <SeverityBadge severity={severity} />}
            {overall !== null && <strong className="numbers">{overall.toFixed(1)}</strong>}
            <span className="muted small">
              {[
                base !== null && base !== overall && texts.baseScore(base.toFixed(1)),
                version && texts.cvss(version),
                vendor && texts.by(vendor),
                base === null && texts.incompleteVector,
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
          </span>
          <code className={`small ${styles.breaking}`}>{vector}</code>
        </li>
      ))}
    </ul>
  )
}

/** Code block that scrolls inside itself and is reachable by keyboard. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <section aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.code} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </section>
  )
}

/** Fixes that the report suggests: GitLab's remediations, or those of SARIF in the raw data. */
function SuggestedFixes({ finding, rawMetadata }: { finding: Finding; rawMetadata: string | undefined }) {
  const remediations = finding.remediations.map(({ summary, diff }) => ({ summary, diff: diff && decoded(diff) }))
  const fixes = [...remediations, ...sarifFixesIn(rawMetadata)]
  if (fixes.length === 0) return null
  return (
    <Panel title={texts.suggestedFix}>
      {fixes.map(({ summary, diff }) => (
        <div key={summary + diff} className="stack-tight">
          {summary && (!diff || summary !== finding.solution) && <p>{summary}</p>}
          {diff && <Diff text={diff} file={textAt(finding.location, 'file')} />}
        </div>
      ))}
    </Panel>
  )
}

/** Decodes a diff, which scanners send in base64. */
function decoded(diff: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(diff), (character) => character.charCodeAt(0)))
  } catch {
    return diff
  }
}

function Evidence({ finding }: { finding: Finding }) {
  const { evidence, request, response } = finding
  if (!evidence && !request && !response) return null
  return (
    <Panel title={texts.evidence}>
      {evidence && <p className={styles.breaking}>{evidence}</p>}
      {[
        [texts.request, request],
        [texts.response, response],
      ].map(
        ([name, value]) =>
          value !== null && value !== undefined && <Exchange key={String(name)} name={String(name)} value={value} />,
      )}
    </Panel>
  )
}

function Exchange({ name, value }: { name: string; value: unknown }) {
  return (
    <details>
      <summary>{name}</summary>
      <Code text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} label={name} />
    </details>
  )
}

function Details({ details }: { details: Record<string, unknown> }) {
  const entries = Object.entries(details).filter(([, detail]) => !isCodeFlows(detail))
  if (entries.length === 0) return null
  return (
    <Panel title={texts.additionalDetails}>
      {entries.map(([key, value]) => (
        <details key={key}>
          <summary>{textAt(value, 'name') ?? inWords(key)}</summary>
          <Code text={JSON.stringify(value, null, 2)} label={inWords(key)} />
        </details>
      ))}
    </Panel>
  )
}
