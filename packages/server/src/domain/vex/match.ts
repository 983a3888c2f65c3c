import { type PackageUrl, parsePackageUrl } from '../findings/package-url.ts'
import type { Project } from '../projects/project.ts'
import type { Candidate } from './candidates.ts'
import { rejectedVex, type VexStatement } from './statement.ts'

/** Finds the vulnerabilities that statements are about. */
export interface Matcher {
  /** Returns the matching vulnerabilities, or the reason why there are none. */
  find: (statement: VexStatement) => Candidate[] | string
}

/** Bounds the time of a document whose statements are each about very many vulnerabilities or components. */
const maxComparisons = 20_000_000
/** Bounds the memory for their effects. */
const maxMatches = 200_000

/** What matching has cost so far. The matchers of one import have it in common. */
export interface MatchCost {
  comparisons: number
  matches: number
}

interface MatcherOptions {
  project: Pick<Project, 'fullPath'>
  instanceUrl: string
  cost: MatchCost
}

/** Throws `reportRejected` when a document exceeds the limits of what can be compared. */
export function startMatcher(
  candidates: readonly Candidate[],
  { project, instanceUrl, cost }: MatcherOptions,
): Matcher {
  const byId = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    for (const id of candidate.ids) {
      const same = byId.get(id)
      if (same) same.push(candidate)
      else byId.set(id, [candidate])
    }
  }
  const own = new Map(candidates.map((candidate) => [candidate.id, candidate]))
  return {
    find(statement) {
      const about = ownIdOf(statement.about, instanceUrl)
      if (about !== undefined) {
        const found = own.get(about)
        return found ? [found] : 'it is about a vulnerability that this project or ref does not have'
      }
      const ids = statement.ids.map((id) => id.toLowerCase())
      const named = new Set(ids.flatMap((id) => byId.get(id) ?? []))
      if (named.size === 0) return `the project has no vulnerability ${statement.ids[0] ?? 'without an id'}`
      const names = namesOf(statement)
      cost.comparisons += named.size * Math.max(1, names.length)
      if (cost.comparisons > maxComparisons) throw tooMany()
      const found = [...named].filter(componentTest(statement, names, project))
      cost.matches += found.length
      if (cost.matches > maxMatches) throw tooMany()
      if (found.length > 0) return found
      const [component] = [...statement.components, ...statement.products]
      return `the project has ${statement.ids[0]}, but not in ${component}`
    },
  }
}

const tooMany = () =>
  rejectedVex(
    `The statements match more than ${maxMatches} vulnerabilities, or name too many components. Divide the document.`,
  )

/** Returns the names of the components, or of the products if a statement names no components. */
const namesOf = ({ components, products }: VexStatement): readonly string[] =>
  components.length > 0 ? components : products

/** Returns the id of a vulnerability of this instance from its address. */
function ownIdOf(about: string | undefined, instanceUrl: string): number | undefined {
  if (!about?.startsWith(`${instanceUrl}/`)) return undefined
  const id = /\/-\/security\/vulnerabilities\/(\d{1,15})$/.exec(about)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** Returns a test whether a statement covers the component of a vulnerability. Without components it covers all. */
function componentTest(
  { components }: VexStatement,
  named: readonly string[],
  { fullPath }: Pick<Project, 'fullPath'>,
): (candidate: Candidate) => boolean {
  if (named.length === 0) return () => true
  const parsed = named.map((name) => ({ name, url: parsePackageUrl(name) }))
  return (candidate) =>
    parsed.some(({ name, url }) => {
      if (url) return isSamePackage(candidate, url) || isImage(candidate, url)
      const text = name.toLowerCase()
      if (components.length === 0 && (text === fullPath.toLowerCase() || text === candidate.image?.toLowerCase()))
        return true
      return text === candidate.packageName
    })
}

function isSamePackage({ packageKey, packageName, version }: Candidate, url: PackageUrl): boolean {
  if (url.version !== undefined && version !== undefined && url.version !== version) return false
  if (packageKey !== undefined) return packageKey === url.key
  const name = url.name.toLowerCase()
  const namespace = url.namespace?.toLowerCase()
  return [name, `${namespace}/${name}`, `${namespace}:${name}`].includes(packageName ?? '')
}

/** An image is named by its last part, because a package URL has its registry elsewhere. */
function isImage({ image }: Candidate, { type, name }: PackageUrl): boolean {
  if (image === undefined || (type !== 'oci' && type !== 'docker')) return false
  const last = image.toLowerCase().split('/').at(-1) ?? ''
  return last.split(/[:@]/, 1)[0] === name.toLowerCase()
}
