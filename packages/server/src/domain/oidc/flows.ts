import { createHmac, hash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Flow } from './flow.ts'
import { deleteExpiredFlows, deleteFlow, findFlow, insertFlow } from './flow-queries.ts'

/** Minutes that a user has to sign in at the provider. */
export const flowMinutes = 15

/** Secrets of a flow. The database holds digests only, so that reading it does not help to complete a flow. */
export interface FlowSecrets {
  /** Sent to the provider and back. */
  state: string
  /** Secret in the browser's cookie, which binds the flow to that browser. */
  browser: string
}

/** Stores a new flow. Uses the browser's secret again, so that several tabs can sign in at the same time. */
export async function openFlow(
  deps: Deps,
  flow: Omit<Flow, 'createdAt'>,
  browser: string | undefined,
): Promise<FlowSecrets> {
  const state = deps.random(32).toString('base64url')
  const secret = browser !== undefined && /^[\w-]{43}$/.test(browser) ? browser : deps.random(32).toString('base64url')
  const createdAt = deps.now()
  const expiresAt = new Date(Date.parse(createdAt) + flowMinutes * 60 * 1000).toISOString()
  await insertFlow(deps.db, { ...flow, createdAt }, { digest: digest(state), browser: digest(secret), expiresAt })
  return { state, browser: secret }
}

/** Returns the flow that the secrets belong to, once. */
export async function useFlow(
  deps: Deps,
  provider: string,
  { state, browser }: FlowSecrets,
): Promise<Flow | undefined> {
  const found = await findFlow(deps.db, {
    digest: digest(state),
    browser: digest(browser),
    provider,
    now: deps.now(),
  })
  return found && (await deleteFlow(deps.db, digest(state))) ? found : undefined
}

export async function removeExpiredFlows(deps: Deps): Promise<void> {
  await deleteExpiredFlows(deps.db, deps.now())
}

/** Returns the code verifier of PKCE and the nonce, which only the browser's secret and the state together give. */
export function proofsOf({ state, browser }: FlowSecrets): { verifier: string; nonce: string } {
  const derive = (purpose: string) => createHmac('sha256', browser).update(`${purpose} ${state}`).digest('base64url')
  return { verifier: derive('verifier'), nonce: derive('nonce') }
}

function digest(secret: string): string {
  return hash('sha256', secret)
}
