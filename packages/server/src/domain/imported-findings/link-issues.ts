import { Failure, notFound } from '../../platform/failure.ts'
import type { Deps } from '../deps.ts'
import type { User } from '../users/user.ts'
import { createLink, findLinks } from '../vulnerabilities/triage/links.ts'
import { findVulnerability } from '../vulnerabilities/triage/triage.ts'
import type { FindingRecord } from './record.ts'

/** Links a vulnerability to the issues of a record that it has no link to yet; returns those that were refused. */
export async function linkIssues(
  deps: Deps,
  user: User,
  vulnerabilityId: number,
  links: FindingRecord['links'],
): Promise<string[]> {
  if (links.length === 0) return []
  const vulnerability = await findVulnerability(deps, `${vulnerabilityId}`)
  if (!vulnerability) throw notFound()
  const known = new Set((await findLinks(deps, [vulnerabilityId])).map(({ url }) => url))
  const refused: string[] = []
  for (const { url, title } of links) {
    if (known.has(url)) continue
    known.add(url)
    try {
      await createLink(deps, vulnerability, user, { url, title, linkType: 'related' })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      refused.push(`link ${url}: the vulnerability has the maximum number of links`)
    }
  }
  return refused
}
