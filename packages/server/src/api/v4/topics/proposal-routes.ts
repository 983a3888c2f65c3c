import Type from 'typebox'
import { assertOrganizationReadable } from '../../../domain/namespaces/organizations.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { proposalStates, type TopicProposal } from '../../../domain/topics/proposals/proposal.ts'
import {
  approveProposal,
  findProposals,
  proposeTopic,
  rejectProposal,
  withdrawProposal,
} from '../../../domain/topics/proposals/proposals.ts'
import { integer, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'

const actorView = Type.Union([
  Type.Object({ id: Type.Integer(), username: Type.String(), name: Type.String() }),
  Type.Null(),
])

const proposalView = Type.Object(
  {
    id: Type.Integer(),
    organization_id: Type.Integer(),
    name: Type.String(),
    title: Type.String(),
    description: nullableString,
    project_id: nullableInteger,
    state: Type.Unsafe<string>({ type: 'string', enum: [...proposalStates] }),
    proposed_by: actorView,
    created_at: timestamp,
    decided_by: actorView,
    decided_at: nullableTimestamp,
    comment: nullableString,
    topic_id: nullableInteger,
  },
  { title: 'TopicProposal' },
)

function viewProposal(proposal: TopicProposal) {
  return {
    id: proposal.id,
    organization_id: proposal.organizationId,
    name: proposal.name,
    title: proposal.title,
    description: proposal.description,
    project_id: proposal.projectId,
    state: proposal.state,
    proposed_by: proposal.proposedBy,
    created_at: proposal.createdAt,
    decided_by: proposal.decidedBy,
    decided_at: proposal.decidedAt,
    comment: proposal.comment,
    topic_id: proposal.topicId,
  }
}

const comment = optional(text({ description: 'For the user who proposed the topic; at most 1,000 characters' }))

export const topicProposalRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/topics/proposals',
    summary: 'List your proposals of topics, newest first; administrators list all',
    permission: 'topic.propose.read',
    input: Type.Object({ state: optional(oneOf(proposalStates)) }),
    status: 200,
    output: Type.Array(proposalView),
    paged: true,
    async handle({ deps, caller, input, page }) {
      const found = await findProposals(deps, caller, { state: input.state }, page)
      return { ...found, rows: found.rows.map(viewProposal) }
    },
  }),
  route({
    method: 'POST',
    path: '/topics/proposals',
    summary: 'Propose a topic to the administrators',
    permission: 'topic.propose',
    input: Type.Object({
      name: text({ description: 'ASCII, at most 255 characters; unique, case-insensitive' }),
      title: optional(text({ description: 'Default: the name' })),
      description: optional(nullable(text())),
      project_id: optional(
        integer({ description: 'A project that you may update, which gets the topic when it is approved' }),
      ),
      organization_id: optional(integer()),
    }),
    status: 201,
    output: proposalView,
    check: ({ deps, caller, input }) => assertOrganizationReadable(deps, caller, input.organization_id),
    async handle({ deps, caller, permit, input }) {
      const { name, title = name, description = null, project_id: projectId, organization_id: organizationId } = input
      const { resources } = projectId === undefined ? {} : await permit('project.update', String(projectId))
      const project = resources?.['project'] as Project | undefined // as the permission has resolved
      const draft = { name, title, description, projectId, organizationId: project?.organizationId ?? organizationId }
      return viewProposal(await proposeTopic(deps, caller, draft))
    },
  }),
  route({
    method: 'POST',
    path: '/topics/proposals/:id/approve',
    summary: 'Approve a proposal: creates the topic and assigns it to the project of the proposal',
    permission: 'topic.manage',
    input: Type.Object({
      id: integer(),
      name: optional(text()),
      title: optional(text()),
      description: optional(nullable(text())),
      comment,
    }),
    status: 201,
    output: proposalView,
    async handle({ deps, caller, input: { id, ...approval } }) {
      return viewProposal(await approveProposal(deps, caller, id, approval))
    },
  }),
  route({
    method: 'POST',
    path: '/topics/proposals/:id/reject',
    summary: 'Reject a proposal of a topic',
    permission: 'topic.manage',
    input: Type.Object({ id: integer(), comment }),
    status: 201,
    output: proposalView,
    async handle({ deps, caller, input }) {
      return viewProposal(await rejectProposal(deps, caller, input.id, input.comment ?? null))
    },
  }),
  route({
    method: 'DELETE',
    path: '/topics/proposals/:id',
    summary: 'Withdraw a pending proposal of your own',
    permission: 'topic.propose',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) => withdrawProposal(deps, caller, input.id),
  }),
]
