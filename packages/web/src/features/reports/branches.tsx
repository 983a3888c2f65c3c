import type { Schemas } from '@alcove/client'
import { GitBranch, GitCompare } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { levels, useMayChange } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'

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
    done: 'Branch deleted.',
    onDone: () => setChosen(undefined),
  })
  return (
    <Page
      title="Branches"
      actions={
        <LinkButton icon={GitCompare} to={to('reports/branches/compare')}>
          Compare branches
        </LinkButton>
      }
      lead="Branches and tags with reports. A branch without new reports closes: its findings are no longer present on it. A new report opens it again."
    >
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={GitBranch} title="No branches yet">
            A branch is listed after its first report.
          </Empty>
        }
      >
        {(refs) => (
          <Table label="Branches" head={['Branch', 'Last report', 'Status', 'Actions']}>
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
                      Delete<span className="visually-hidden"> {ref.name}</span>
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
        title={`Delete ${chosen?.name ?? ''}?`}
        lead="Deletes findings that no other branch has. Vulnerabilities keep their status, history and comments."
        confirm="Delete"
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
      {ref.default && <Badge>default</Badge>}
      {ref.protected && <Badge>protected</Badge>}
    </span>
  )
}

function Status({ of: ref }: { of: Ref }) {
  if (ref.closed_at) {
    return (
      <span>
        Closed <Time of={ref.closed_at} />
      </span>
    )
  }
  if (!ref.closes_at) return <span>Open</span>
  return (
    <span>
      Closes <Time of={ref.closes_at} />
    </span>
  )
}
