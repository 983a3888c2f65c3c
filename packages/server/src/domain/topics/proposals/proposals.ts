import { conflict, invalid, notFound, refused } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import { instanceEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, transaction } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import { isStillPermitted } from '../../projects/current-rights.ts'
import { findProjectById } from '../../projects/projects.ts'
import { assignInBulk } from '../bulk-assignment.ts'
import { assertTopicDraft, nameTaken, type TopicDraft } from '../topic.ts'
import { lockTopicsNamed } from '../topic-name-queries.ts'
import { createTopic, organizationOf } from '../topics.ts'
import type { ProposalFilter, TopicProposal } from './proposal.ts'
import {
  countProposals,
  deleteProposal,
  findProposal,
  insertProposal,
  listProposals,
  lockProposal,
  updateDecision,
} from './proposal-queries.ts'

/** Maximum number of pending proposals of a user. */
const maxPending = 50

export interface NewProposal extends TopicDraft {
  organizationId?: number | undefined
  /** Project that the caller may update. */
  projectId?: number | undefined
}

/** Stores a proposal. Throws for names that are taken or proposed already. */
export function proposeTopic(deps: Deps, { user }: Caller, fresh: NewProposal): Promise<TopicProposal> {
  return transaction(deps, async (deps) => {
    const organizationId = await organizationOf(deps, fresh.organizationId)
    assertTopicDraft(fresh, { blankTitle: 'refused' })
    const known = await lockTopicsNamed(deps.db, organizationId, [fresh.name.toLowerCase()])
    if (known.length > 0) throw nameTaken()
    const pending = await countProposals(deps.db, { state: 'pending', proposedById: user.id })
    if (pending >= maxPending) throw refused(`you have ${maxPending} pending proposals`)
    const { name, title, description, projectId = null } = fresh
    const draft = { name, title, description, organizationId, projectId, userId: user.id, now: deps.now() }
    const id = await insertProposal(deps.db, draft)
    if (id === undefined) throw invalid({ name: ['has already been proposed'] })
    await recordAuditEvent(deps, 'topic_proposed', describe('Proposed a topic', { id, name }))
    return getProposal(deps, id)
  })
}

/** Returns a page of proposals, newest first: all of them for administrators, otherwise the caller's own. */
export async function findProposals(
  deps: Deps,
  caller: Caller,
  filter: Pick<ProposalFilter, 'state'>,
  page: PageRequest,
): Promise<Page<TopicProposal>> {
  const own = { ...filter, ...(!caller.isAdmin && { proposedById: caller.user.id }) }
  const [rows, counted] = await Promise.all([listProposals(deps.db, own, page), countProposals(deps.db, own)])
  return pageOf(page, rows, counted)
}

async function getProposal(deps: Deps, id: number): Promise<TopicProposal> {
  const proposal = await findProposal(deps.db, id)
  if (!proposal) throw notFound()
  return proposal
}

export interface Approval {
  /** Changes to what was proposed. */
  name?: string | undefined
  title?: string | undefined
  description?: string | null | undefined
  comment?: string | undefined
}

/**
 * Creates the topic and assigns it to the project of the proposal, unless the project is gone or archived, or the user who
 * proposed may no longer update it. Throws `invalid({ topics })` when the project has too many topics.
 */
export async function approveProposal(
  deps: Deps,
  caller: Caller,
  id: number,
  approval: Approval,
): Promise<TopicProposal> {
  assertComment(approval.comment)
  return decide(deps, id, async (deps, proposal) => {
    const { name = proposal.name, title = proposal.title, description = proposal.description } = approval
    const topic = await createTopic(deps, { name, title, description, organizationId: proposal.organizationId })
    const projectId = await findProposedProject(deps, proposal)
    if (projectId !== undefined) {
      await assignInBulk(deps, caller, [projectId], { add: [topic.name], remove: [], dryRun: false })
    }
    const { comment = null } = approval
    await updateDecision(deps.db, id, {
      ...{ state: 'approved', userId: caller.user.id, comment, topicId: topic.id, now: deps.now() },
    })
    await recordAuditEvent(deps, 'topic_proposal_approved', describe('Approved the proposal of a topic', proposal))
  })
}

/** Returns the project of a proposal if the user who proposed may still update it, and it has not left the organization. */
async function findProposedProject(
  deps: Deps,
  { projectId, organizationId, proposedBy }: TopicProposal,
): Promise<number | undefined> {
  const project = projectId === null ? undefined : await findProjectById(deps.db, projectId)
  if (!project || project.organizationId !== organizationId) return undefined
  const requester = { userId: proposedBy?.id ?? null, asAdmin: true }
  return (await isStillPermitted(deps, 'project.update', project, requester)) ? project.id : undefined
}

export async function rejectProposal(
  deps: Deps,
  caller: Caller,
  id: number,
  comment: string | null,
): Promise<TopicProposal> {
  assertComment(comment)
  return decide(deps, id, async (deps, proposal) => {
    await updateDecision(deps.db, id, {
      ...{ state: 'rejected', userId: caller.user.id, comment, topicId: null, now: deps.now() },
    })
    await recordAuditEvent(deps, 'topic_proposal_rejected', describe('Rejected the proposal of a topic', proposal))
  })
}

const maxCommentLength = 1000

function assertComment(comment: string | null | undefined): void {
  if (comment && comment.length > maxCommentLength) {
    throw invalid({ comment: [`is too long (maximum is ${maxCommentLength} characters)`] })
  }
}

/** Deletes a pending proposal of the caller. */
export function withdrawProposal(deps: Deps, caller: Caller, id: number): Promise<void> {
  return transaction(deps, async (deps) => {
    const proposal = await lockPending(deps, id, caller)
    await deleteProposal(deps.db, id)
    await recordAuditEvent(deps, 'topic_proposal_withdrawn', describe('Withdrew the proposal of a topic', proposal))
  })
}

function decide(
  deps: Deps,
  id: number,
  apply: (deps: Deps, proposal: TopicProposal) => Promise<void>,
): Promise<TopicProposal> {
  return transaction(deps, async (deps) => {
    await apply(deps, await lockPending(deps, id))
    return getProposal(deps, id)
  })
}

/** Throws 404 for a proposal that does not exist or is not the caller's, and `conflict` when it was decided. */
async function lockPending(deps: Deps, id: number, owner?: Caller): Promise<TopicProposal> {
  await lockProposal(deps.db, id)
  const proposal = await getProposal(deps, id)
  if (owner && !owner.isAdmin && proposal.proposedBy?.id !== owner.user.id) throw notFound()
  if (proposal.state !== 'pending') throw conflict(`proposal ${id} has been ${proposal.state} already`)
  return proposal
}

const describe = (message: string, { id, name }: Pick<TopicProposal, 'id' | 'name'>) => ({
  entity: instanceEntity,
  message,
  target: { type: 'TopicProposal', id, name },
})
