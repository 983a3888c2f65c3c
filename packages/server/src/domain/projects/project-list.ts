import { openCache, perDatabase } from '../../db/cache.ts'
import { badRequest } from '../../platform/failure.ts'
import { roles } from '../access/roles.ts'
import type { Deps, RootDeps } from '../deps.ts'
import { listLevels } from '../members/memberships.ts'
import { lineageOf } from '../namespaces/namespace.ts'
import { assertOrganizationReadable } from '../namespaces/organizations.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { Person } from '../users/user.ts'
import { listPeople } from '../users/users.ts'
import { type Audience, audienceOf } from './audience.ts'
import type { Project, ProjectOrder } from './project.ts'
import { countProjects, listProjects, listTopicsNamed, type ProjectFilter } from './project-list-queries.ts'
import { listProjectsById } from './project-queries.ts'
import { type PathSearch, readPathSearch } from './search.ts'
import type { Visitor } from './visible.ts'

/** Query parameters of the list of projects. */
export interface ProjectQuery
  extends Omit<ProjectFilter, 'audience' | 'topics' | 'anyTopics' | 'notTopics' | 'starredBy' | 'search'> {
  search?: string | undefined
  /** Whether the search covers full paths. */
  searchNamespaces?: boolean | undefined
  owned?: boolean | undefined
  membership?: boolean | undefined
  starred?: boolean | undefined
  minAccessLevel?: number | undefined
  /** Topic names as sent; a project must have all of them. */
  topics?: readonly string[] | undefined
  topicId?: number | undefined
  /** Topic names as sent; a project must have at least one of them. */
  topicAny?: readonly string[] | undefined
  /** Topic names as sent; a project must have none of them. */
  topicNot?: readonly string[] | undefined
  /** True when a parameter has a value that no project can match. */
  matchesNothing?: boolean | undefined
}

/** Returns a page of projects that the caller can read, of all organizations or of one that the caller can read. */
export async function findProjects(
  deps: RootDeps,
  caller: Visitor | null,
  query: ProjectQuery,
  { asked, page }: { asked: ProjectOrder; page: PageRequest },
): Promise<Page<Project>> {
  if ((query.updatedAfter || query.updatedBefore) && asked.by !== 'updated_at') {
    throw badRequest('`updated_at` filter and `updated_at` sorting must be paired')
  }
  await assertOrganizationReadable(deps, caller, query.organizationId)
  const audience = audienceOf(caller, deps.now().slice(0, 10), {
    membership: query.membership,
    least: Math.max(query.minAccessLevel ?? 0, query.owned ? roles.owner : 0),
  })
  const starredBy = query.starred ? caller?.user.id : undefined
  const key = JSON.stringify([query, audience, starredBy, asked, page])
  const { ids, ...end } = await pages(deps.db).getShared(key, async () => {
    const cache = shown(deps.db)
    const version = cache.version()
    const { rows, ...end } = await readPage(deps, { query, audience, starredBy }, { asked, page })
    for (const project of rows) cache.set(String(project.id), project, version)
    return { ids: rows.map(({ id }) => id), ...end }
  })
  return { rows: await listShown(deps, ids), ...end }
}

interface VisibleQuery {
  query: ProjectQuery
  audience: Audience
  starredBy: number | undefined
}

async function readPage(
  deps: RootDeps,
  { query, audience, starredBy }: VisibleQuery,
  { asked, page }: { asked: ProjectOrder; page: PageRequest },
): Promise<Page<Project>> {
  const topics = query.matchesNothing ? undefined : await findTopicIds(deps, query)
  if (!topics) return { rows: [], total: 0 }
  const search = readPathSearch(query.search ?? '', query.searchNamespaces ?? false)
  const filter: ProjectFilter = {
    ...query,
    anyTopics: query.topicAny?.length ? await listIdsNamed(deps, query.topicAny) : undefined,
    notTopics: query.topicNot?.length ? await listIdsNamed(deps, query.topicNot) : undefined,
    audience,
    topics,
    search,
    starredBy,
  }
  const counted = await counts(deps.db).getShared(JSON.stringify(filter), () => countProjects(deps.db, filter))
  if (counted === 0) return { rows: [], total: 0 }
  const order = asked.by === 'similarity' ? similarityOrder(counted, search) : asked
  return pageOf(page, await listProjects(deps.db, filter, { order, page, counted }), counted)
}

const maxCompared = 2000

/**
 * Returns the order by similarity, or the default order without a search or when there are too many rows to compare.
 */
function similarityOrder(counted: number, search: PathSearch | undefined): ProjectOrder {
  return { by: search && counted <= maxCompared ? 'similarity' : 'id', direction: 'desc' }
}

const countedTables = ['projects', 'namespaces', 'members', 'project_topics', 'project_stars', 'custom_attributes']
/** Cache of totals. Counting is slower than reading a page. */
const counts = perDatabase((changes) => openCache<number>(changes, countedTables, 2000))

/** A page without its rows, which many pages share. */
type PageOfIds = Omit<Page<Project>, 'rows'> & { ids: readonly number[] }

const maxCachedIds = 50_000
/** Cache of pages by query and caller. */
const pages = perDatabase((changes) =>
  openCache<PageOfIds>(
    changes,
    [...countedTables, 'topics', 'topic_names', 'organizations'],
    maxCachedIds,
    ({ ids }) => ids.length + 10,
  ),
)

/** Cache of listed projects: their rendered rows are found by the project, so it is not read and hashed again. */
const shown = perDatabase((changes) => openCache<Project>(changes, ['projects', 'namespaces'], 4000))

/** Returns the projects in the order of the ids. */
async function listShown({ db }: RootDeps, ids: readonly number[]): Promise<Project[]> {
  const cache = shown(db)
  const found = new Map<number, Project>()
  const missing: number[] = []
  for (const id of ids) {
    const project = cache.peek(String(id))
    if (project) found.set(id, project)
    else missing.push(id)
  }
  if (missing.length > 0) {
    const version = cache.version()
    for (const project of await listProjectsById(db, missing)) {
      found.set(project.id, project)
      cache.set(String(project.id), project, version)
    }
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Returns the candidate topic ids for each requested topic, or `undefined` when one of the topics does not exist. */
export async function findTopicIds(
  deps: Deps,
  { topics = [], topicId }: Pick<ProjectQuery, 'topics' | 'topicId'>,
): Promise<number[][] | undefined> {
  const names = readNames(topics)
  if (topics.length > 0 && names.size === 0) return undefined
  const found = new Map<string, { id: number; total: number }[]>([...names].map((name) => [name, []]))
  if (names.size > 0) for (const topic of await listTopicsNamed(deps.db, [...names])) found.get(topic.name)?.push(topic)
  const lists = [...found.values()]
  if (lists.some((topics) => topics.length === 0)) return undefined
  const uses = (topics: { total: number }[]) => topics.reduce((sum, topic) => sum + topic.total, 0)
  // A name and an alias may refer to the same topic.
  const byIds = new Map(lists.map((topics) => [topics.map((topic) => topic.id).join(), topics]))
  const ids = [...byIds.values()].sort((a, b) => uses(a) - uses(b)).map((topics) => topics.map((topic) => topic.id))
  // A list that contains the requested topic is redundant.
  return topicId === undefined ? ids : [...ids.filter((list) => !list.includes(topicId)), [topicId]]
}

/** Returns the topics with any of the names; unknown names have none. */
async function listIdsNamed(deps: Deps, texts: readonly string[]): Promise<number[]> {
  const names = readNames(texts)
  return names.size > 0 ? (await listTopicsNamed(deps.db, [...names])).map((topic) => topic.id) : []
}

function readNames(texts: readonly string[]): Set<string> {
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim())
  return new Set(names.filter((name) => name !== ''))
}

/** A user's levels in a project: from a direct membership, and inherited from its groups. */
export interface HeldLevels {
  own: number | null
  throughGroups: number | null
}

/** Data that project responses need besides the project. */
export interface ProjectFacts {
  /** Owner of the namespace, for personal projects. */
  owner: Person | undefined
  held: HeldLevels
}

/** Returns the facts in the order of the projects. */
export async function readProjectFacts(
  deps: Deps,
  caller: Visitor | null,
  projects: readonly Project[],
): Promise<ProjectFacts[]> {
  const ownerIds = new Set(projects.flatMap((project) => project.namespace.ownerId ?? []))
  const groups = projects.map((project) => (project.namespace.kind === 'group' ? lineageOf(project.namespace) : []))
  const [people, levels] = await Promise.all([
    ownerIds.size > 0 ? listPeople(deps.db, [...ownerIds]) : [],
    caller ? heldLevels(deps, caller, projects, groups) : undefined,
  ])
  const owners = new Map(people.map((person) => [person.id, person]))
  return projects.map((project, index) => ({
    owner: owners.get(project.namespace.ownerId ?? 0),
    held: {
      own: levels?.ofProject.get(project.id) ?? null,
      throughGroups: highest((groups[index] ?? []).map((id) => levels?.ofNamespace.get(id) ?? 0)),
    },
  }))
}

async function heldLevels(
  deps: Deps,
  caller: Visitor,
  projects: readonly Project[],
  groups: readonly (readonly number[])[],
): Promise<{ ofProject: Map<number, number>; ofNamespace: Map<number, number> }> {
  const ids = projects.map((project) => project.id)
  const today = deps.now().slice(0, 10)
  const rows = await listLevels(deps.db, caller.user.id, {
    projectIds: ids,
    namespaceIds: [...new Set(groups.flat())],
    today,
  })
  return {
    ofProject: new Map(rows.flatMap((row) => (row.projectId === null ? [] : [[row.projectId, row.level] as const]))),
    ofNamespace: new Map(
      rows.flatMap((row) => (row.namespaceId === null ? [] : [[row.namespaceId, row.level] as const])),
    ),
  }
}

function highest(levels: readonly number[]): number | null {
  const max = Math.max(0, ...levels)
  return max > 0 ? max : null
}

/** Returns whether the caller may read the code and what depends on it. Guests of private projects may not. */
export function mayReadCode(project: Project, caller: Visitor | null, { own, throughGroups }: HeldLevels): boolean {
  if (project.visibility !== 'private' || caller?.isAdmin) return true
  const isOwner = caller !== null && project.namespace.ownerId === caller.user.id
  return isOwner || Math.max(own ?? 0, throughGroups ?? 0) >= roles.reporter
}
