import { invalid } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import type { Deps } from '../../deps.ts'
import { findTokenById } from '../../tokens/tokens.ts'
import type { IngestOptions } from './import.ts'

const maxUrlLength = 1024

/** Rejects links that a browser should not follow, and those that are too long to be shown. */
export function assertLinks({ jobUrl, commitUrl }: Pick<IngestOptions, 'jobUrl' | 'commitUrl'>): void {
  for (const [name, url] of Object.entries({ job_url: jobUrl, commit_url: commitUrl })) {
    if (url !== undefined && (url.length > maxUrlLength || !isWebPage(url))) {
      throw invalid({ [name]: [`must be an http:// or https:// address of up to ${maxUrlLength} characters`] })
    }
  }
}

function isWebPage(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
}

/** Returns the name of the access token of a request; null for a session and for a token of another issuer. */
export async function tokenNameOf(deps: Deps, { token }: Pick<Caller, 'token'>): Promise<string | null> {
  if (token.kind !== 'personal' && token.kind !== 'impersonation') return null
  return (await findTokenById(deps.db, token.id))?.name ?? null
}
