import type { Schemas } from '@alcove/client'
import { CircleCheck, GitMerge } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { formatCount } from '../../../components/format.ts'
import { Page } from '../../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../../components/page/pager.tsx'
import { Empty } from '../../../components/page/states.tsx'
import { Table } from '../../../components/table.tsx'
import { usePage } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import styles from '../admin.module.css'
import { MergeDialog } from './merge-dialog.tsx'
import { OrganizationField, useOrganization } from './organization-field.tsx'
import { texts } from './texts.ts'

type Topic = Schemas['Topic']
type Duplicate = Schemas['TopicDuplicate']

const perPage = 50
const reasons: Record<Duplicate['reasons'][number], string> = {
  case: texts.differsOnlyInCase,
  separators: texts.differsOnlyInHyphens,
  plural: texts.singularAndPlural,
  js: texts.withAndWithoutJs,
  spelling: texts.similarSpelling,
  shared_projects: texts.oftenOnTheSame,
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
      title={texts.possibleDuplicates}
      crumbs={[{ label: texts.topics, to: '/-/admin/topics' }]}
      lead={texts.pairsOfTopicsThatAreProbably}
      actions={<OrganizationField />}
    >
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={CircleCheck} title={texts.noDuplicates}>
            <p>{texts.noSimilarTopicsFound}</p>
          </Empty>
        }
      >
        {(rows) => (
          <Table label={texts.possibleDuplicates} head={[texts.topics, texts.reason, texts.similarity, '']}>
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
                    {shared > 0 && <p className="muted small">{texts.projectsHaveBothTopicsShared(shared)}</p>}
                  </td>
                  <td className="numbers">{Math.round(score * 100)}%</td>
                  <td>
                    {mayWrite(session) && (
                      <Button
                        size="small"
                        icon={GitMerge}
                        onClick={() => setMerging({ source: second, target: first })}
                      >
                        {texts.merge}
                        <span className="visually-hidden"> {texts.intoSecondName(second.name, first.name)}</span>
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
        <span className="visually-hidden"> {texts.projects2}</span>
      </span>
    </p>
  )
}
