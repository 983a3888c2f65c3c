import type { Schemas } from '@alcove/client'
import { GitBranch, GitCompare } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { levels, useMayChange } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'
import { texts } from './texts.ts'

type Ref = Schemas['Ref']

const perPage = 20

/** List of branches and tags with reports, and when they close. */
export function Branches() {
  const { project, level, to } = useProject()
  const page = usePageNumber()
  const query = usePage('GET /projects/{id}/refs', { path: { id: project.id }, query: { page, per_page: perPage } })
  const mayDelete = useMayChange() && level >= levels.maintainer
  const [chosen, setChosen] = useState<Ref>()
  const remove = useAction('DELETE /projects/{id}/refs/{ref}', {
    done: texts.branchDeleted,
    onDone: () => setChosen(undefined),
  })
  return (
    <Page
      title={texts.branches}
      actions={
        <LinkButton icon={GitCompare} to={to('reports/branches/compare')}>
          {texts.compareBranches}
        </LinkButton>
      }
      lead={texts.branchesAndTagsWithReports}
    >
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={GitBranch} title={texts.noBranchesYet}>
            {texts.aBranchIsListed}
          </Empty>
        }
      >
        {(refs) => (
          <Table label={texts.branches} head={[texts.branch, texts.lastReport, texts.status, texts.actions]}>
            {refs.map((ref) => (
              <tr key={ref.name}>
                <td>
                  <Name of={ref} />
                </td>
                <td className="muted">
                  <Time of={ref.last_report_at} />
                </td>
                <td>
                  <Status of={ref} />
                </td>
                <td>
                  {mayDelete && !ref.default && !ref.protected && (
                    <Button size="small" kind="danger" onClick={() => setChosen(ref)}>
                      {texts.deleteLabel}
                      <span className="visually-hidden"> {ref.name}</span>
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
      <ConfirmDialog
        isOpen={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={texts.deleteLabelName(chosen?.name ?? '')}
        lead={texts.deletesFindingsThatNo}
        confirm={texts.deleteLabel}
        isBusy={remove.isPending}
        onConfirm={() => chosen && remove.mutate({ path: { id: project.id, ref: chosen.name } })}
      />
    </Page>
  )
}

function Name({ of: ref }: { of: Ref }) {
  return (
    <span className="row-wrap">
      <span className="mono">{ref.name}</span>
      {ref.default && <Badge>{texts.defaultLabel}</Badge>}
      {ref.protected && <Badge>{texts.protected}</Badge>}
    </span>
  )
}

function Status({ of: ref }: { of: Ref }) {
  if (ref.closed_at) {
    return <span>{fill(texts.closed, { time: <Time of={ref.closed_at} /> })}</span>
  }
  if (!ref.closes_at) return <span>{texts.open}</span>
  return <span>{fill(texts.closes, { time: <Time of={ref.closes_at} /> })}</span>
}
