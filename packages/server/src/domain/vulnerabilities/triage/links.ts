import { invalid, notFound, unprocessable } from '../../../platform/failure.ts'
import { type Deps, projectTransaction } from '../../deps.ts'
import type { User } from '../../users/user.ts'
import type { BasicVulnerability } from '../vulnerability.ts'
import { recordHistory } from './history/history.ts'
import { recordVulnerabilityChanges } from './history/vulnerability-events.ts'
import type { IssueLink, IssueState, LinkType } from './link.ts'
import {
  deleteLink,
  findLink,
  findVulnerabilityOfLink,
  insertLink,
  type LinkDraft,
  listLinks,
  lockLinks,
  updateIssue,
} from './link-queries.ts'

export interface IssueLinkDraft {
  url: string
  title?: string | undefined
  linkType: LinkType
}

/** Returns the links of these vulnerabilities, oldest first. */
export function findLinks({ db }: Deps, vulnerabilityIds: readonly number[]): Promise<IssueLink[]> {
  return listLinks(db, vulnerabilityIds)
}

export function createLink(
  deps: Deps,
  vulnerability: BasicVulnerability,
  user: User,
  draft: IssueLinkDraft,
): Promise<IssueLink> {
  const url = webAddress(draft.url)
  const title = draft.title?.trim() || url
  if ([...title].length > maxTitle) throw invalid({ title: [`is too long (maximum is ${maxTitle} characters)`] })
  return projectTransaction(deps, vulnerability.projectId, async (deps) => {
    const { linkType } = draft
    // The lock serialises concurrent requests; constraints are a second safeguard.
    const links = await lockLinks(deps.db, vulnerability.id)
    if (links.some((link) => link.url === url)) {
      throw unprocessable('Issue has already been linked to another vulnerability')
    }
    if (linkType === 'created' && links.some((link) => link.linkType === 'created')) {
      throw unprocessable('Vulnerability already has a "created" issue link')
    }
    if (links.length >= maxLinks) throw unprocessable(`a vulnerability may have ${maxLinks} links`)
    return storeLink(deps, vulnerability, { userId: user.id, linkType, url, title, now: deps.now() })
  })
}

/**
 * Links a vulnerability to the issue that was created from it. A link that a user has added to the same issue meanwhile
 * is kept.
 */
export async function linkCreatedIssue(
  deps: Deps,
  vulnerability: BasicVulnerability,
  { userId, url, title }: { userId: number; url: string; title: string },
): Promise<IssueLink> {
  const links = await lockLinks(deps.db, vulnerability.id)
  const linked = links.find((link) => link.url === url)
  if (linked) return linked
  const linkType = links.some((link) => link.linkType === 'created') ? 'related' : 'created'
  return storeLink(deps, vulnerability, { userId, linkType, url, title: shortTitle(title), now: deps.now() })
}

/** Stores what the tracker returned of the issue of a link. */
export async function updateLinkedIssue(
  deps: Deps,
  linkId: number,
  { title, state, closedAt }: { title: string; state: IssueState; closedAt: string | null },
): Promise<void> {
  await updateIssue(deps.db, linkId, { title: shortTitle(title), state, closedAt, now: deps.now() })
}

const shortTitle = (title: string) => [...title].slice(0, maxTitle).join('')

async function storeLink(
  deps: Deps,
  vulnerability: BasicVulnerability,
  draft: Omit<LinkDraft, 'vulnerabilityId'>,
): Promise<IssueLink> {
  const { userId, url, title, linkType, now } = draft
  const id = await insertLink(deps.db, { vulnerabilityId: vulnerability.id, ...draft })
  const details = { url, title, link_type: linkType }
  const entry = { vulnerabilityId: vulnerability.id, kind: 'linked', userId, details } as const
  await recordHistory(deps.db, [entry], now)
  await recordVulnerabilityChanges(deps, vulnerability.projectId, [vulnerability.id])
  return getLink(deps, vulnerability, id)
}

/** Removes a link and returns it. */
export function removeLink(deps: Deps, vulnerability: BasicVulnerability, user: User, id: number): Promise<IssueLink> {
  return projectTransaction(deps, vulnerability.projectId, async (deps) => {
    const link = await getLink(deps, vulnerability, id)
    if (!(await deleteLink(deps.db, id))) throw notFound()
    const { url, title, linkType } = link
    const details = { url, title, link_type: linkType }
    const entry = { vulnerabilityId: vulnerability.id, kind: 'unlinked', userId: user.id, details } as const
    await recordHistory(deps.db, [entry], deps.now())
    await recordVulnerabilityChanges(deps, vulnerability.projectId, [vulnerability.id])
    return link
  })
}

/** Returns the id of the vulnerability that a link belongs to. */
export function findLinkedVulnerability({ db }: Deps, linkId: number): Promise<number | undefined> {
  return findVulnerabilityOfLink(db, linkId)
}

async function getLink({ db }: Deps, vulnerability: BasicVulnerability, id: number): Promise<IssueLink> {
  const link = await findLink(db, vulnerability.id, id)
  if (!link) throw notFound()
  return link
}

const maxTitle = 255
const maxUrl = 2048
/** Maximum number of links per vulnerability, because the list has no pages. */
const maxLinks = 1000

/** Returns the normalised address if browsers may open it. */
function webAddress(written: string): string {
  const text = written.trim()
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    throw invalid({ url: ['is no address: it begins with http:// or https://'] })
  }
  if (parsed.username !== '' || parsed.password !== '') throw invalid({ url: ['must not hold a password'] })
  if (parsed.href.length > maxUrl) throw invalid({ url: [`is too long (maximum is ${maxUrl} characters)`] })
  return parsed.href
}
