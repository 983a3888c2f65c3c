import Type, { type Static } from 'typebox'
import { openCache, perDatabase } from '../../../db/cache.ts'
import { roles } from '../../../domain/access/roles.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { avatarUrl } from '../../../domain/files/avatar-url.ts'
import { readMirrors } from '../../../domain/import-sources/mirrors.ts'
import { renderPart } from '../../../domain/markdown/rendering.ts'
import type { GitlabAttributes } from '../../../domain/projects/gitlab-attribute.ts'
import { readAttributes } from '../../../domain/projects/gitlab-attributes.ts'
import { exposures, type Project, reportRoles } from '../../../domain/projects/project.ts'
import { mayReadCode, type ProjectFacts, readProjectFacts } from '../../../domain/projects/project-list.ts'
import type { Visitor } from '../../../domain/projects/visible.ts'
import { listTopicNames, type ProjectTopicNames } from '../../../domain/topics/assignment.ts'
import type { RenderedRow } from '../../../http/response/rendered-row.ts'
import { digestOf, type RowSource, renderRows } from '../../../http/response/row-cache.ts'
import { copierOf } from '../../../platform/copier.ts'
import { startTimeSlice } from '../../../platform/time-slice.ts'
import { customAttributesField } from '../custom-attributes/views.ts'
import { mirrorField, viewMirror } from '../import-sources/views.ts'
import { namespaceView, viewNamespace } from '../namespaces/views.ts'
import { basicUserView, viewBasicUser } from '../users/views.ts'
import { nullableInteger, nullableString, timestamp } from '../views.ts'
import { outputsOf, projectExtras } from './gitlab-attributes.ts'

const basicFields = {
  id: Type.Integer(),
  description: nullableString,
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: timestamp,
  default_branch: Type.String(),
  tag_list: Type.Array(Type.String()),
  topics: Type.Array(Type.String()),
  ssh_url_to_repo: Type.String(),
  http_url_to_repo: Type.String(),
  web_url: Type.String(),
  readme_url: nullableString,
  forks_count: Type.Integer(),
  avatar_url: nullableString,
  star_count: Type.Integer(),
  last_activity_at: timestamp,
  visibility: Type.String(),
  namespace: namespaceView,
}

const linksView = Type.Object({
  self: Type.String(),
  issues: Type.String(),
  merge_requests: Type.String(),
  repo_branches: Type.String(),
  labels: Type.String(),
  events: Type.String(),
  members: Type.String(),
  cluster_agents: Type.String(),
})

/**
 * Constant attributes of repositories, issues and pipelines, which do not exist here. Clients can set most of them
 * (`projectExtras`), without effect.
 */
const absentBefore = {
  resolve_outdated_diff_discussions: false,
  repository_object_format: 'sha1',
  issues_enabled: false,
  merge_requests_enabled: false,
  wiki_enabled: false,
  jobs_enabled: false,
  snippets_enabled: false,
  container_registry_enabled: false,
  service_desk_enabled: false,
  can_create_merge_request_in: false,
  issues_access_level: 'disabled',
  repository_access_level: 'disabled',
  merge_requests_access_level: 'disabled',
  forking_access_level: 'disabled',
  wiki_access_level: 'disabled',
  builds_access_level: 'disabled',
  snippets_access_level: 'disabled',
  pages_access_level: 'disabled',
  analytics_access_level: 'disabled',
  container_registry_access_level: 'disabled',
  security_and_compliance_access_level: 'private',
  releases_access_level: 'disabled',
  environments_access_level: 'disabled',
  feature_flags_access_level: 'disabled',
  infrastructure_access_level: 'disabled',
  monitor_access_level: 'disabled',
  model_experiments_access_level: 'disabled',
  model_registry_access_level: 'disabled',
  package_registry_access_level: 'disabled',
  requirements_access_level: 'disabled',
  emails_disabled: true,
  emails_enabled: false,
  show_diff_preview_in_email: false,
  shared_runners_enabled: false,
  lfs_enabled: false,
}

/** Merge settings of a new project on GitLab. */
const absentMerges = {
  only_allow_merge_if_pipeline_succeeds: false,
  allow_merge_on_skipped_pipeline: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  printing_merge_request_link_enabled: true,
  remove_source_branch_after_merge: true,
  request_access_enabled: false,
  merge_method: 'merge',
  squash_option: 'default_off',
}

const access = Type.Unsafe<{ access_level: number; notification_level: number } | null>({
  ...Type.Object({ access_level: Type.Integer(), notification_level: Type.Integer() }),
  type: ['object', 'null'],
})

const fullFields = {
  _links: linksView,
  marked_for_deletion_at: Type.Null(),
  marked_for_deletion_on: Type.Null(),
  packages_enabled: Type.Boolean(),
  empty_repo: Type.Boolean(),
  archived: Type.Boolean(),
  owner: basicUserView,
  ...schemaOf(absentBefore),
  creator_id: nullableInteger,
  import_url: Type.Null(),
  import_type: Type.Null(),
  import_status: Type.String(),
  import_error: Type.Null(),
  open_issues_count: Type.Integer(),
  description_html: Type.String(),
  updated_at: timestamp,
  public_jobs: Type.Boolean(),
  shared_with_groups: Type.Array(Type.Object({})),
  ...schemaOf(absentMerges),
  enforce_auth_checks_on_uploads: Type.Boolean(),
  promote_vulnerabilities_on_ingestion: Type.Boolean(),
  autoclose_referenced_issues: Type.Boolean(),
  auto_resolve_vulnerabilities: Type.Boolean(),
  max_absent_percent: nullableInteger,
  default_branch_report_role: Type.Enum(reportRoles),
  accept_reporters_files: Type.Boolean(),
  ref_retention_days: nullableInteger,
  protected_refs: Type.Array(Type.String()),
  exposure: Type.Enum(exposures),
  inherited_topics: Type.Array(Type.String(), { description: 'Topics of the groups of the project' }),
  permissions: Type.Object({ project_access: access, group_access: access }),
}

/** Schema of all levels of `Detail`. No field is required, because the serialiser writes required fields first. */
export const projectView = Type.Partial(
  Type.Object({
    ...basicFields,
    ...fullFields,
    ...outputsOf(projectExtras, fullFields),
    ...customAttributesField,
    ...mirrorField,
  }),
  {
    title: 'Project',
  },
)
export type ProjectView = Static<typeof projectView>

/** Returns a view whose constant fields are set. The serialiser omits the others, which are undefined. */
const newView = copierOf(
  Object.assign(
    Object.fromEntries(Object.keys(projectView.properties).map((name) => [name, undefined])),
    absentBefore,
    absentMerges,
  ) as ProjectView,
)

/** Fields of a project in a response: the basic ones, all, or all with the caller's permissions. */
export type Detail = 'basic' | 'full' | 'full-with-permissions'

/** Returns the level of detail for a read; responses to changes always have all fields. */
export function detailFor(caller: Visitor | null, simple = false): Detail {
  return caller && !simple ? 'full-with-permissions' : 'basic'
}

/** Returns views in the order of the projects. Loads related data once for the whole page. */
export async function viewProjects(
  deps: RootDeps,
  caller: Visitor | null,
  projects: readonly Project[],
  { origin, detail }: { origin: string; detail: Detail },
): Promise<ProjectView[]> {
  if (projects.length === 0) return []
  const ids = projects.map((project) => project.id)
  const [topics, facts, extras, mirrors] = await Promise.all([
    listTopicNames(deps.db, ids),
    caller ? readProjectFacts(deps, caller, projects) : [],
    detail === 'basic' ? new Map<number, GitlabAttributes>() : readAttributes(deps, 'projects', ids),
    readMirrors(deps, 'project', detail === 'basic' ? [] : ids),
  ])
  const views: ProjectView[] = []
  const slice = startTimeSlice()
  for (const [index, project] of projects.entries()) {
    if (slice.isOver()) await slice.next()
    const known = facts[index] ?? nothingKnown
    const names = topics.get(project.id) ?? noTopics
    const basic = viewBasic(project, names.own, mayReadCode(project, caller, known.held), origin)
    if (detail === 'basic') {
      views.push(basic)
      continue
    }
    const html = await descriptionHtml(deps, project)
    const rest = viewRest(project, known, { html, inheritedTopics: names.inherited, origin })
    const full = Object.assign(newView(), basic, rest, extras.get(project.id))
    if (detail !== 'full') full.permissions = viewPermissions(known)
    const mirror = mirrors.get(project.id)
    if (mirror) full.mirrored_from = viewMirror(mirror)
    views.push(full)
  }
  return views
}

const tables = ['projects', 'namespaces', 'project_topics', 'topics', 'members', 'users', 'import_sources']

/** Renders projects as the caller sees them. */
export function renderProjects(
  deps: RootDeps,
  caller: Visitor | null,
  projects: readonly Project[],
  { origin, detail }: { origin: string; detail: Detail },
): Promise<RenderedRow<ProjectView>[]> {
  const today = deps.now().slice(0, 10) // memberships expire
  const source: RowSource<typeof projectView, Project> = {
    name: `project ${caller?.user.id} ${caller?.isAdmin} ${detail} ${today} ${origin}`,
    storeKeyOf: digestOfProject,
    view: projectView,
    tables,
    // The topics, members and owner of a project have no common version. They are read again after any change.
    listVersions: async () => new Map(),
    async load(loaded) {
      const views = await viewProjects(deps, caller, loaded, { origin, detail })
      return loaded.flatMap((project, index) => {
        const view = views[index]
        return view ? [{ key: project, version: '', view }] : []
      })
    },
  }
  return renderRows(deps.db, source, projects)
}

const digests = new WeakMap<Project, string>()

/** Projects are cached and never changed in place, so each is hashed once. */
function digestOfProject(project: Project): string {
  const known = digests.get(project)
  if (known !== undefined) return known
  const digest = digestOf(project)
  digests.set(project, digest)
  return digest
}

export async function viewProject(
  deps: RootDeps,
  caller: Visitor | null,
  project: Project,
  { origin, detail }: { origin: string; detail: Detail },
): Promise<ProjectView> {
  const [view] = await viewProjects(deps, caller, [project], { origin, detail })
  if (!view) throw new Error('viewProjects returned no view for a project')
  return view
}

const maxCachedCharacters = 4_000_000
/** Weight of an entry without its text: what is rendered may be empty. */
const overheadCharacters = 100

/** Caches rendered HTML by its source text. Depends on no table. */
const descriptions = perDatabase((changes) =>
  openCache<string>(changes, [], maxCachedCharacters, (html) => html.length + overheadCharacters),
)

async function descriptionHtml({ db }: RootDeps, { description, id }: Project): Promise<string> {
  if (!description) return ''
  return descriptions(db).getShared(description, () => renderPart(description, `project ${id}`))
}

const noTopics: ProjectTopicNames = { own: [], inherited: [] }
const nothingKnown: ProjectFacts = { owner: undefined, held: { own: null, throughGroups: null } }

function viewBasic(project: Project, topics: string[], showsCode: boolean, origin: string): ProjectView {
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${project.namespace.fullName} / ${project.name}`,
    path: project.path,
    path_with_namespace: project.fullPath,
    created_at: project.createdAt,
    tag_list: topics,
    topics,
    ssh_url_to_repo: `git@${new URL(origin).hostname}:${project.fullPath}.git`,
    http_url_to_repo: `${origin}/${project.fullPath}.git`,
    web_url: `${origin}/${project.fullPath}`,
    ...(showsCode && { default_branch: project.defaultBranch, readme_url: null, forks_count: 0 }),
    avatar_url: avatarUrl('project', project, origin),
    star_count: project.starCount,
    last_activity_at: project.lastActivityAt,
    visibility: project.visibility,
    namespace: viewNamespace(project.namespace, origin),
  }
}

function viewRest(
  project: Project,
  { owner }: ProjectFacts,
  { html, inheritedTopics, origin }: { html: string; inheritedTopics: string[]; origin: string },
) {
  const self = `${origin}/api/v4/projects/${project.id}`
  return {
    _links: {
      self,
      issues: `${self}/issues`,
      merge_requests: `${self}/merge_requests`,
      repo_branches: `${self}/repository/branches`,
      labels: `${self}/labels`,
      events: `${self}/events`,
      members: `${self}/members`,
      cluster_agents: `${self}/cluster_agents`,
    },
    marked_for_deletion_at: null,
    marked_for_deletion_on: null,
    packages_enabled: false,
    empty_repo: true,
    archived: project.isArchived,
    ...(owner && { owner: viewBasicUser(owner, origin) }),
    creator_id: project.creatorId,
    import_url: null,
    import_type: null,
    import_status: 'none',
    import_error: null,
    open_issues_count: 0,
    description_html: html,
    updated_at: project.updatedAt,
    public_jobs: false,
    shared_with_groups: [],
    enforce_auth_checks_on_uploads: project.enforceAuthChecksOnUploads,
    promote_vulnerabilities_on_ingestion: project.promoteOnIngestion,
    autoclose_referenced_issues: true,
    auto_resolve_vulnerabilities: project.autoResolve,
    max_absent_percent: project.maxAbsentPercent,
    default_branch_report_role: project.defaultBranchReportRole,
    accept_reporters_files: project.acceptReportersFiles,
    ref_retention_days: project.refRetentionDays,
    protected_refs: project.protectedRefs,
    exposure: project.exposure,
    inherited_topics: inheritedTopics,
  }
}

const notifiedAsEverywhere = 3

function viewPermissions({ held }: ProjectFacts) {
  const view = (level: number | null) =>
    level === null || level < roles.guest ? null : { access_level: level, notification_level: notifiedAsEverywhere }
  return { project_access: view(held.own), group_access: view(held.throughGroups) }
}

function schemaOf(constants: Record<string, boolean | string>) {
  return Object.fromEntries(
    Object.entries(constants).map(([name, value]) => [
      name,
      Type.Unsafe<boolean | string>({ type: typeof value === 'boolean' ? 'boolean' : 'string' }),
    ]),
  )
}
