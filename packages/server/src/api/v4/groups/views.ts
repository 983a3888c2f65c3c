import Type, { type Static } from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import { avatarUrl } from '../../../domain/files/avatar-url.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { GitlabAttributes } from '../../../domain/projects/gitlab-attribute.ts'
import { readAttributes } from '../../../domain/projects/gitlab-attributes.ts'
import { customAttributesField } from '../custom-attributes/views.ts'
import { addMirrors, mirrorField } from '../import-sources/views.ts'
import { webUrl } from '../namespaces/views.ts'
import { groupExtras, outputsOf } from '../projects/gitlab-attributes.ts'
import { projectView } from '../projects/views.ts'
import { nullableInteger, nullableString, timestamp } from '../views.ts'

const groupFields = {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  path: Type.String(),
  description: Type.String(),
  visibility: Type.String(),
  share_with_group_lock: Type.Boolean(),
  require_two_factor_authentication: Type.Boolean(),
  two_factor_grace_period: Type.Integer(),
  project_creation_level: Type.String(),
  auto_devops_enabled: Type.Null(),
  subgroup_creation_level: Type.String(),
  emails_disabled: Type.Boolean(),
  emails_enabled: Type.Boolean(),
  mentions_disabled: Type.Null(),
  lfs_enabled: Type.Boolean(),
  default_branch: nullableString,
  default_branch_protection: Type.Integer(),
  avatar_url: nullableString,
  request_access_enabled: Type.Boolean(),
  full_name: Type.String(),
  full_path: Type.String(),
  created_at: timestamp,
  parent_id: nullableInteger,
  organization_id: Type.Integer(),
  shared_runners_setting: Type.String(),
  marked_for_deletion_on: Type.Null(),
}

export const groupView = Type.Object(
  { ...groupFields, ...outputsOf(groupExtras, groupFields), ...customAttributesField, ...mirrorField },
  { title: 'Group' },
)
export const groupDetailView = Type.Object({
  ...groupFields,
  ...outputsOf(groupExtras, groupFields),
  ...customAttributesField,
  shared_with_groups: Type.Array(Type.Object({})),
  promote_vulnerabilities_on_ingestion: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }),
  projects: Type.Optional(Type.Array(projectView)),
  shared_projects: Type.Optional(Type.Array(projectView)),
  ...mirrorField,
})

function viewGroup(group: Namespace, origin: string, extras: GitlabAttributes = {}): Static<typeof groupView> {
  return {
    id: group.id,
    web_url: webUrl(group, origin),
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: group.visibility,
    share_with_group_lock: false,
    require_two_factor_authentication: false,
    two_factor_grace_period: 48,
    project_creation_level: 'developer',
    auto_devops_enabled: null,
    subgroup_creation_level: 'maintainer',
    emails_disabled: true,
    emails_enabled: false,
    mentions_disabled: null,
    lfs_enabled: false,
    default_branch: null,
    default_branch_protection: 2,
    avatar_url: avatarUrl('group', group, origin),
    request_access_enabled: false,
    full_name: group.fullName,
    full_path: group.fullPath,
    created_at: group.createdAt,
    parent_id: group.parentId,
    organization_id: group.organizationId,
    shared_runners_setting: 'enabled',
    marked_for_deletion_on: null,
    ...extras,
  }
}

export async function viewGroups(deps: RootDeps, groups: readonly Namespace[], origin: string) {
  const ids = groups.map(({ id }) => id)
  const extras = await readAttributes(deps, 'namespaces', ids)
  return addMirrors(
    deps,
    'group',
    groups.map((group) => viewGroup(group, origin, extras.get(group.id))),
  )
}

export async function viewOneGroup(deps: RootDeps, group: Namespace, origin: string) {
  const extras = await readAttributes(deps, 'namespaces', [group.id])
  const view = {
    ...viewGroup(group, origin, extras.get(group.id)),
    shared_with_groups: [],
    promote_vulnerabilities_on_ingestion: group.promoteOnIngestion,
  }
  const [marked = view] = await addMirrors(deps, 'group', [view])
  return marked
}
