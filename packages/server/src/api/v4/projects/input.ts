import Type, { type Static } from 'typebox'
import { grantableLevels } from '../../../domain/access/roles.ts'
import type { ProjectQuery } from '../../../domain/projects/project-list.ts'
import type { ProjectOrder } from '../../../domain/projects/project-order.ts'
import { date, dateTime, flag, integer, nullable, oneOf, optional, text, textList } from '../../../http/params/input.ts'
import { noKeyset } from '../../../platform/failure.ts'
import { attributesFrom, inputsOf, projectExtras } from './gitlab-attributes.ts'

export const visibility = oneOf(['private', 'internal', 'public'])

/** Administrators sort by them on GitLab; here all are as long, and the order is that of ids. */
const storageOrders = ['storage_size', 'repository_size', 'wiki_size', 'packages_size'] as const

/** Taken by every list of projects. */
export const projectListFields = {
  order_by: oneOf(
    [
      ...(['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at', 'star_count', 'similarity'] as const),
      ...storageOrders,
    ],
    { default: 'created_at', description: '`similarity` only has an effect with `search`, sizes have none' },
  ),
  sort: oneOf(['asc', 'desc'], { default: 'desc' }),
  archived: optional(flag()),
  active: optional(flag({ description: 'The opposite of `archived`' })),
  visibility: optional(visibility),
  search: optional(text({ description: 'Words of three letters or more in name, path or description' })),
  search_namespaces: optional(flag({ description: 'Search the full path too' })),
  owned: optional(flag({ description: 'Only what the caller owns' })),
  starred: optional(flag()),
  membership: optional(flag({ description: 'Only what the caller is a member of' })),
  min_access_level: optional(oneOf(grantableLevels, { description: 'The least level that the caller has' })),
  id_after: optional(integer()),
  id_before: optional(integer()),
  last_activity_after: optional(dateTime()),
  last_activity_before: optional(dateTime()),
  updated_after: optional(dateTime({ description: 'Needs `order_by=updated_at`' })),
  updated_before: optional(dateTime({ description: 'Needs `order_by=updated_at`' })),
  topic: optional(textList({ commaSeparated: true, description: 'Names of topics, all of which must match exactly' })),
  topic_id: optional(integer()),
  with_issues_enabled: optional(flag({ description: 'If true, none: there are no issues' })),
  with_merge_requests_enabled: optional(flag({ description: 'If true, none: there are no merge requests' })),
  with_programming_language: optional(text({ description: 'None: there is no code' })),
  marked_for_deletion_on: optional(date({ description: 'None: what is deleted is gone at once' })),
  include_hidden: optional(flag({ description: 'Without effect' })),
  simple: optional(flag({ description: 'Fewer fields' })),
  statistics: optional(flag({ description: 'Without effect: there are no repositories to tell about' })),
  with_custom_attributes: optional(flag({ description: 'Without effect: there are none' })),
}

/** Of lists that go over everything; the header `X-GitLab-Organization-ID` says the same. */
export const organizationField = {
  organization_id: optional(integer({ description: 'Only what belongs to this organization' })),
}

const listFields = Type.Object(projectListFields)
type ListInput = Static<typeof listFields>

export function projectQueryFrom(input: ListInput): ProjectQuery {
  return {
    visibility: input.visibility,
    isArchived: input.archived ?? (input.active === undefined ? undefined : !input.active),
    search: input.search,
    searchNamespaces: input.search_namespaces,
    owned: input.owned,
    starred: input.starred,
    membership: input.membership,
    minAccessLevel: input.min_access_level,
    idAfter: input.id_after,
    idBefore: input.id_before,
    activeAfter: input.last_activity_after,
    activeBefore: input.last_activity_before,
    updatedAfter: input.updated_after,
    updatedBefore: input.updated_before,
    topics: input.topic,
    topicId: input.topic_id,
    isVain:
      input.with_issues_enabled === true ||
      input.with_merge_requests_enabled === true ||
      Boolean(input.with_programming_language) ||
      input.marked_for_deletion_on !== undefined,
  }
}

/** Creation time is the order of ids. */
export function projectOrderFrom(input: Pick<ListInput, 'order_by' | 'sort'>): ProjectOrder {
  const { order_by: by, sort: direction } = input
  return { by: by === 'created_at' || isStorageOrder(by) ? 'id' : by, direction }
}

function isStorageOrder(order: string): order is (typeof storageOrders)[number] {
  return storageOrders.some((candidate) => candidate === order)
}

export function assertKeyset(input: Pick<ListInput, 'order_by'>): void {
  if (input.order_by !== 'id') throw noKeyset()
}

/** What a project can be created and changed with. */
export const projectAttributes = {
  name: optional(text()),
  path: optional(text()),
  description: optional(nullable(text())),
  visibility: optional(visibility),
  default_branch: optional(text()),
  topics: optional(textList({ commaSeparated: true, description: 'Names; new ones become topics' })),
  tag_list: optional(textList({ commaSeparated: true, description: 'The old name of `topics`' })),
  enforce_auth_checks_on_uploads: optional(flag()),
  promote_vulnerabilities_on_ingestion: optional(
    flag({ description: 'Findings of reports become vulnerabilities without anybody promoting them' }),
  ),
  auto_resolve_vulnerabilities: optional(
    flag({ description: 'What its scanner no longer reports on the default branch is resolved, not only marked' }),
  ),
  ...inputsOf(projectExtras),
}

const attributes = Type.Object(projectAttributes)
type Attributes = Static<typeof attributes>

export const projectExtrasFrom = (input: object) => attributesFrom(projectExtras, input)

export function projectAttributesFrom(input: Attributes) {
  return {
    name: input.name,
    path: input.path,
    description: input.description,
    visibility: input.visibility,
    defaultBranch: input.default_branch || undefined,
    enforceAuthChecksOnUploads: input.enforce_auth_checks_on_uploads,
    promoteOnIngestion: input.promote_vulnerabilities_on_ingestion,
    autoResolve: input.auto_resolve_vulnerabilities,
  }
}

export function topicsFrom(input: Attributes): string[] | undefined {
  return input.topics ?? input.tag_list
}
