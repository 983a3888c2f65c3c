import type { Schemas } from '@alcove/client'
import { CircleCheck, GitMerge } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { counted, formatCount } from '../../../components/format.ts'
import { Page } from '../../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../../components/page/pager.tsx'
import { Empty } from '../../../components/page/states.tsx'
import { Table } from '../../../components/table.tsx'
import { usePage } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import styles from '../admin.module.css'
import { MergeDialog } from './merge-dialog.tsx'
import { OrganizationField, useOrganization } from './organization-field.tsx'

type Topic = Schemas['Topic']
type Duplicate = Schemas['TopicDuplicate']

const perPage = 50
const reasons: Record<Duplicate['reasons'][number], string> = {
  case: 'Differs only in case',
  separators: 'Differs only in hyphens or spaces',
  plural: 'Singular and plural',
  js: 'With and without “js”',
  spelling: 'Similar spelling',
  shared_projects: 'Often on the same projects',
}

/** Pairs of topics that are probably duplicates, most probable first. */
export function Duplicates() {
  const session = useSession()
  const [merging, setMerging] = useState<{ source: Topic; target: Topic }>()
  const query = usePage('GET /topics/duplicates', {
    query: { organization_id: useOrganization(), page: usePageNumber(), per_page: perPage },
  })
  return (
    <Page
      title="Possible duplicates"
      crumbs={[{ label: 'Topics', to: '/-/admin/topics' }]}
      lead="Pairs of topics that are probably duplicates, most probable first. A merge moves the projects of one topic to the other. You can preview and undo merges."
      actions={<OrganizationField />}
    >
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={CircleCheck} title="No duplicates">
            <p>No similar topics found.</p>
          </Empty>
        }
      >
        {(rows) => (
          <Table label="Possible duplicates" head={['Topics', 'Reason', 'Similarity', '']}>
            {rows.map(({ topics: [first, second], reasons: why, score, shared_projects_count: shared }) =>
              first && second ? (
                <tr key={`${first.id} ${second.id}`}>
                  <td>
                    <TopicLine topic={first} />
                    <TopicLine topic={second} />
                  </td>
                  <td>
                    <span className="row-wrap">
                      {why.map((reason) => (
                        <Badge key={reason}>{reasons[reason]}</Badge>
                      ))}
                    </span>
                    {shared > 0 && (
                      <p className="muted small">{counted(shared, 'project has', 'projects have')} both topics</p>
                    )}
                  </td>
                  <td className="numbers">{Math.round(score * 100)} %</td>
                  <td>
                    {mayWrite(session) && (
                      <Button
                        size="small"
                        icon={GitMerge}
                        onClick={() => setMerging({ source: second, target: first })}
                      >
                        Merge
                        <span className="visually-hidden">
                          {' '}
                          {second.name} into {first.name}
                        </span>
                      </Button>
                    )}
                  </td>
                </tr>
              ) : null,
            )}
          </Table>
        )}
      </PagedList>
      {merging && <MergeDialog isOpen {...merging} onClose={() => setMerging(undefined)} />}
    </Page>
  )
}

function TopicLine({ topic }: { topic: Topic }) {
  return (
    <p>
      <Link to={`/-/admin/topics/${topic.id}`} className={styles.strong}>
        {topic.title}
      </Link>{' '}
      <span className="muted small">
        <span className="mono">{topic.name}</span>, {formatCount(topic.total_projects_count)}
        <span className="visually-hidden"> projects</span>
      </span>
    </p>
  )
}
