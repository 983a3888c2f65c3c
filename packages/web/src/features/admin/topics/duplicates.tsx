import type { Schemas } from '@alcove/client'
import { CircleCheck, GitMerge } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { counted, formatCount } from '../../../components/format.ts'
import { Page } from '../../../components/page.tsx'
import { Pager, usePageNumber } from '../../../components/pager.tsx'
import { Answered, Empty } from '../../../components/states.tsx'
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
  case: 'Only capital letters differ',
  separators: 'Only hyphens and blanks differ',
  plural: 'One and many',
  js: 'With and without “js”',
  spelling: 'Spelled almost alike',
  shared_projects: 'Often on the same projects',
}

/** Pairs of topics that probably mean the same, the most probable first. */
export function Duplicates() {
  const session = useSession()
  const [merging, setMerging] = useState<{ source: Topic; target: Topic }>()
  const query = usePage('GET /topics/duplicates', {
    query: { organization_id: useOrganization(), page: usePageNumber(), per_page: perPage },
  })
  return (
    <Page
      title="Near duplicates"
      crumbs={[{ label: 'Topics', to: '/-/admin/topics' }]}
      lead="Topics that probably mean the same, the most probable first. A merge moves the projects of one to the other; it is shown before it is done, and can be undone."
      actions={<OrganizationField />}
    >
      <Answered query={query}>
        {(page) =>
          page.rows.length === 0 ? (
            <Empty icon={CircleCheck} title="No duplicates">
              <p>No two topics look as if they meant the same.</p>
            </Empty>
          ) : (
            <div className="stack">
              <Table label="Near duplicates" head={['Topics', 'Why', 'Alike', '']}>
                {page.rows.map(({ topics: [first, second], reasons: why, score, shared_projects_count: shared }) =>
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
                          <p className="muted small">{counted(shared, 'project has', 'projects have')} both</p>
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
              <Pager page={page} perPage={perPage} />
            </div>
          )
        }
      </Answered>
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
