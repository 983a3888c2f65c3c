import type { TObject } from 'typebox'
import { parameterProblem } from '../../platform/failure.ts'
import type { Bag } from './bag.ts'

/**
 * What a list does with a query parameter that it does not know. GitLab ignores it, and so does every route that does not
 * say otherwise: clients send parameters of their own. But a filter that is ignored answers with more than was asked for.
 * `refused` is for lists that GitLab does not have; names are for GitLab's lists: filters that only other lists have.
 */
export type UnknownFilters = 'refused' | readonly string[]

/** What GitLab's clients send to any list: credentials, pages, and options that are meant for the client itself. */
const ofClients = new Set([
  ...['page', 'per_page', 'pagination', 'cursor', 'order_by', 'sort', 'private_token', 'access_token', 'job_token'],
  ...['sudo', 'all', 'as_list', 'get_all', 'iterator', 'statistics', 'simple', 'with_custom_attributes', 'id'],
  ...['obey_rate_limit', 'retry_transient_errors', 'max_retries', 'timeout', 'lazy', 'organization_id'],
])

export function assertKnownFilters(unknown: UnknownFilters, query: Bag, { properties }: TObject): void {
  const isRefused = (name: string) => (unknown === 'refused' ? !ofClients.has(name) : unknown.includes(name))
  const names = Object.keys(query).filter((name) => !Object.hasOwn(properties, name) && isRefused(name))
  if (names.length === 0) return
  const known = Object.keys(properties).filter((name) => !ofClients.has(name))
  throw parameterProblem(
    `${names.join(', ').slice(0, 200)} is not a filter of this list; there are: ${known.join(', ')}`,
  )
}
