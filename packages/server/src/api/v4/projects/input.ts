import Type, { type Static } from 'typebox'
import { grantableLevels } from '../../../domain/access/roles.ts'
import { customAttributeFilter } from '../../../domain/custom-attributes/custom-attributes.ts'
import { exposures, type ProjectOrder, reportRoles } from '../../../domain/projects/project.ts'
import type { ProjectQuery } from '../../../domain/projects/project-list.ts'
import type { Visitor } from '../../../domain/projects/visible.ts'
import {
  blankableImage,
  date,
  dateTime,
  flag,
  integer,
  nullable,
  oneOf,
  optional,
  text,
  textList,
} from '../../../http/params/input.ts'
import { noKeyset } from '../../../platform/failure.ts'
import { customAttributeFilters } from '../custom-attributes/views.ts'
import { attributesFrom, inputsOf, projectExtras } from './gitlab-attributes.ts'

export const visibility = oneOf(['private', 'internal', 'public'])

/** Sort orders for administrators on GitLab. All sizes are equal here, so these sort by id. */
const storageOrders = ['storage_size', 'repository_size', 'wiki_size', 'packages_size'] as const

/** Parameters of every list of projects. */
export const projectListFields = {
  order_by: oneOf(
    [
      ...(['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at', 'star_count', 'similarity'] as const),
      ...storageOrders,
    ],
    { default: 'created_at', description: '`similarity` requires `search`; sorting by size has no effect' },
  ),
  sort: oneOf(['asc', 'desc'], { default: 'desc' }),
  archived: optional(flag()),
  active: optional(flag({ description: 'Inverse of `archived`' })),
  visibility: optional(visibility),
  search: optional(text({ description: 'Words of at least three letters in the name, path or description' })),
  search_namespaces: optional(flag({ description: 'Also search in the full path' })),
  owned: optional(flag({ description: 'Only items that the caller owns' })),
  starred: optional(flag()),
  membership: optional(flag({ description: 'Only projects that the caller is a member of' })),
  min_access_level: optional(oneOf(grantableLevels, { description: 'Minimum access level of the caller' })),
  id_after: optional(integer()),
  id_before: optional(integer()),
  last_activity_after: optional(dateTime()),
  last_activity_before: optional(dateTime()),
  updated_after: optional(dateTime({ description: 'Requires `order_by=updated_at`' })),
  updated_before: optional(dateTime({ description: 'Requires `order_by=updated_at`' })),
  topic: optional(textList({ commaSeparated: true, description: 'Topic names; the project must have all of them' })),
  topic_any: optional(
    textList({ commaSeparated: true, description: 'Topic names; the project must have at least one of them' }),
  ),
  topic_not: optional(
    textList({ commaSeparated: true, description: 'Topic names; the project must have none of them' }),
  ),
  topic_id: optional(integer()),
  with_issues_enabled: optional(flag({ description: 'If true, returns nothing: projects have no issues' })),
  with_merge_requests_enabled: optional(
    flag({ description: 'If true, returns nothing: projects have no merge requests' }),
  ),
  with_programming_language: optional(text({ description: 'Returns nothing: projects have no code' })),
  marked_for_deletion_on: optional(date({ description: 'Returns nothing: deleted projects are removed immediately' })),
  include_hidden: optional(flag({ description: 'No effect' })),
  simple: optional(flag({ description: 'Return only the basic fields' })),
  statistics: optional(flag({ description: 'No effect: projects have no repositories' })),
  ...customAttributeFilters,
}

/** Parameter of instance-wide lists; equivalent to the header `X-GitLab-Organization-ID`. */
export const organizationField = {
  organization_id: optional(integer({ description: 'Only items of this organization' })),
}

const listFields = Type.Object(projectListFields)
type ListInput = Static<typeof listFields>

export function projectQueryFrom(input: ListInput, caller: Visitor | null): ProjectQuery {
  return {
    customAttributes: customAttributeFilter(caller?.isAdmin === true, input.custom_attributes),
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
    topicAny: input.topic_any,
    topicNot: input.topic_not,
    topicId: input.topic_id,
    matchesNothing:
      input.with_issues_enabled === true ||
      input.with_merge_requests_enabled === true ||
      Boolean(input.with_programming_language) ||
      input.marked_for_deletion_on !== undefined,
  }
}

/** Sorts by id instead of creation time, because ids ascend with it. */
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

/** Parameters that create and update a project. */
export const projectAttributes = {
  name: optional(text()),
  path: optional(text()),
  description: optional(nullable(text())),
  visibility: optional(visibility),
  default_branch: optional(text()),
  topics: optional(
    textList({ commaSeparated: true, description: 'Topic names. Topics that do not exist are created' }),
  ),
  tag_list: optional(textList({ commaSeparated: true, description: 'Deprecated name of `topics`' })),
  enforce_auth_checks_on_uploads: optional(flag()),
  promote_vulnerabilities_on_ingestion: optional(
    flag({ description: 'Promote findings that reports have on the default branch to vulnerabilities automatically' }),
  ),
  default_branch_report_role: optional(
    oneOf(reportRoles, {
      description:
        'Minimum role for reports of the default branch. `maintainer` also permits access tokens of the project or its groups with the scope `write_security_reports`, and trust relations. Default: developer',
    }),
  ),
  accept_reporters_files: optional(
    flag({
      description:
        'Apply the files of reports for the default branch, such as CODEOWNERS, and the suppressions that the reports state, of anyone who may send reports. Default: only of senders who may triage vulnerabilities',
    }),
  ),
  max_absent_percent: optional(
    nullable(
      integer({
        minimum: 0,
        maximum: 100,
        description:
          'Holds a report for the default branch that would make more than this share of a scanner’s findings, and at least 10, absent, and the first empty one. Null: never. Default: 50',
      }),
    ),
  ),
  ref_retention_days: optional(
    nullable(
      integer({
        minimum: 0,
        maximum: 3650,
        description:
          'Days without a report after which a branch or tag closes: its findings are no longer present on it. 0: never. Null: the setting of the server',
      }),
    ),
  ),
  protected_refs: optional(
    textList({
      commaSeparated: true,
      description: 'Branches and tags that never close, besides the default branch; `*` stands for any characters',
    }),
  ),
  exposure: optional(
    oneOf(exposures, {
      description:
        'From where attackers reach what the project builds, which is part of the priority of its vulnerabilities. Default: unknown',
    }),
  ),
  auto_resolve_vulnerabilities: optional(
    flag({
      description:
        'Resolve vulnerabilities automatically when their scanner no longer reports them on the default branch',
    }),
  ),
  avatar: optional(blankableImage),
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
    maxAbsentPercent: input.max_absent_percent,
    defaultBranchReportRole: input.default_branch_report_role,
    acceptReportersFiles: input.accept_reporters_files,
    refRetentionDays: input.ref_retention_days,
    protectedRefs: input.protected_refs,
    exposure: input.exposure,
    autoResolve: input.auto_resolve_vulnerabilities,
  }
}

export function topicsFrom(input: Attributes): string[] | undefined {
  return input.topics ?? input.tag_list
}
