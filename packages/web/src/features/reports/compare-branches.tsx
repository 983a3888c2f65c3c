import type { Schemas } from '@alcove/client'
import { GitCompare } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { severities } from '../../components/badge.tsx'
import { SelectField } from '../../components/form/field.tsx'
import { formatCount, inWords } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useProject } from '../../nouns/project/project.ts'
import { awaiting } from '../../nouns/vulnerability/awaiting.ts'
import { texts } from './texts.ts'

type Comparison = Schemas['BranchComparison']

/** The API lists so many branches at once, those with the newest reports first. */
const maxBranches = 100

/** Open vulnerabilities that only one of two branches has, and those that both have. */
export function CompareBranches() {
  const { project } = useProject()
  const [{ from, to }, set] = useSearchState(['from', 'to'])
  const refs = usePage('GET /projects/{id}/refs', { path: { id: project.id }, query: { per_page: maxBranches } })
  const names = refs.data?.rows.map(({ name }) => name) ?? []
  const base = refs.data?.rows.find((ref) => ref.default)?.name ?? names[0]
  const other = names.find((name) => name !== base)
  // The address always names both branches, so that it can be shared.
  useEffect(() => {
    if (base !== undefined && other !== undefined && (!from || !to)) {
      set(
        { from: from ?? (to === base ? other : base), to: to ?? (from === other ? base : other) },
        { isReplacing: true },
      )
    }
  }, [from, to, base, other, set])
  const choices = (chosen: string | undefined) =>
    [...new Set([...names, ...(chosen ? [chosen] : [])])].map((name) => ({ value: name, label: name }))
  return (
    <Page title={texts.compareBranches} lead={texts.openVulnerabilitiesAndFindings}>
      <QueryResult query={refs}>
        {() =>
          other === undefined ? (
            <Empty icon={GitCompare} title={texts.onlyOneBranch}>
              <p>{texts.importAReportOfAnother}</p>
            </Empty>
          ) : (
            <div className="stack">
              <div className="row-wrap">
                <SelectField
                  label={texts.branchA}
                  choices={choices(from)}
                  value={from ?? ''}
                  onChoose={(name) => set({ from: name, ...(name === to && { to: from }) }, { isReplacing: true })}
                />
                <SelectField
                  label={texts.branchB}
                  choices={choices(to)}
                  value={to ?? ''}
                  onChoose={(name) => set({ to: name, ...(name === from && { from: to }) }, { isReplacing: true })}
                />
              </div>
              {from && to && <Compared from={from} to={to} />}
            </div>
          )
        }
      </QueryResult>
    </Page>
  )
}

function Compared({ from, to }: { from: string; to: string }) {
  const { project } = useProject()
  const query = useApiQuery('GET /projects/{id}/refs/compare', { path: { id: project.id }, query: { from, to } })
  return <QueryResult query={query}>{(comparison) => <Counts of={comparison} />}</QueryResult>
}

function Counts({ of: { from, to, only_on_from, only_on_to, on_both } }: { of: Comparison }) {
  const rows = [
    { label: texts.onlyIn(from), open: only_on_from, filter: { ref: from, not_on: to } },
    { label: texts.onlyInTo(to), open: only_on_to, filter: { ref: to, not_on: from } },
    { label: texts.inBoth, open: on_both, filter: { ref: from, also_on: to } },
  ]
  return (
    <Table label={texts.comparison} head={['', ...severities.map(inWords), texts.open, texts.awaitingTriage]}>
      {rows.map(({ label, open, filter }) => (
        <tr key={label}>
          <th scope="row">{label}</th>
          {severities.map((severity) => (
            <td key={severity}>
              <Count
                of={open.vulnerabilities[severity]}
                label={`${label}: ${inWords(severity)}`}
                filter={{ ...filter, severity }}
              />
            </td>
          ))}
          <td>
            <Count of={open.total} label={texts.openLabel(label)} filter={filter} />
          </td>
          <td>
            <Count
              of={open.awaiting_triage}
              label={texts.awaitingTriageLabel(label)}
              filter={{ ...filter, tab: awaiting }}
            />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Count({ of: count, label, filter }: { of: number; label: string; filter: Record<string, string> }) {
  const { to } = useProject()
  if (count === 0) return <span className="muted numbers">{formatCount(0)}</span>
  return (
    <Link
      to={`${to('vulnerabilities')}?${new URLSearchParams(filter)}`}
      className="numbers"
      aria-label={`${formatCount(count)}, ${label}`}
    >
      {formatCount(count)}
    </Link>
  )
}
