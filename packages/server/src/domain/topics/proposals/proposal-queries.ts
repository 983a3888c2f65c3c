import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../../page.ts'
import type { TopicDraft } from '../topic.ts'
import type { ProposalFilter, TopicProposal } from './proposal.ts'

const selected = sql`
  select t.id, t.organization_id, t.name, t.title, t.description, t.state, t.created_at, t.decided_at, t.comment, t.topic_id,
    t.project_id, proposer.id as "proposed_by.id", proposer.username as "proposed_by.username",
    proposer.name as "proposed_by.name", decider.id as "decided_by.id", decider.username as "decided_by.username",
    decider.name as "decided_by.name"
  from topic_proposals t left join users proposer on proposer.id = t.proposed_by_id
  left join users decider on decider.id = t.decided_by_id`

const matches = ({ state, proposedById }: ProposalFilter): Sql =>
  sql`1 = 1 ${state === undefined ? empty : sql`and t.state = ${state}`}
    ${proposedById === undefined ? empty : sql`and t.proposed_by_id = ${proposedById}`}`

/** Returns proposals, newest first, one more than the page holds. */
export async function listProposals(
  db: Db,
  filter: ProposalFilter,
  { perPage, offset }: PageRequest,
): Promise<TopicProposal[]> {
  return db.all(sql`${selected} where ${matches(filter)} order by t.id desc limit ${perPage + 1} offset ${offset}`)
}

export async function countProposals(db: Db, filter: ProposalFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from topic_proposals t where ${matches(filter)} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

export async function findProposal(db: Db, id: number): Promise<TopicProposal | undefined> {
  return db.one(sql`${selected} where t.id = ${id}`)
}

/** Locks a proposal until the transaction ends, so that it is decided once. */
export async function lockProposal(db: Db, id: number): Promise<void> {
  await db.one(sql`select id from topic_proposals where id = ${id} ${db.dialect.forUpdate}`)
}

/** Inserts a proposal. Returns `undefined` when the name is proposed already. */
export async function insertProposal(
  db: Db,
  draft: TopicDraft & { organizationId: number; projectId: number | null; userId: number; now: string },
): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    insert into topic_proposals
      (organization_id, name, name_key, title, description, project_id, proposed_by_id, created_at)
    values (${draft.organizationId}, ${draft.name}, ${draft.name.toLowerCase()}, ${draft.title}, ${draft.description},
      ${draft.projectId}, ${draft.userId}, ${draft.now})
    on conflict (organization_id, name_key) where state = 'pending' do nothing
    returning id`)
  return row?.id
}

export async function updateDecision(
  db: Db,
  id: number,
  decision: {
    state: 'approved' | 'rejected'
    userId: number
    comment: string | null
    topicId: number | null
    now: string
  },
): Promise<void> {
  await db.run(sql`
    update topic_proposals set state = ${decision.state}, decided_by_id = ${decision.userId}, decided_at = ${decision.now},
      comment = ${decision.comment}, topic_id = ${decision.topicId}
    where id = ${id}`)
}

export async function deleteProposal(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from topic_proposals where id = ${id}`)
}
