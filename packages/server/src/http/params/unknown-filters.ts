import type { TObject } from 'typebox'
import { parameterProblem } from '../../platform/failure.ts'
import type { RawParams } from './raw-params.ts'

/**
 * How a list handles unknown query parameters. By default they are ignored, as on GitLab. But an ignored filter returns
 * too many rows, so `refused` (for lists that GitLab does not have) rejects all unknown parameters, and an array of names
 * (for GitLab's lists) rejects those: filters that only other lists have.
 */
export type UnknownFilters = 'refused' | readonly string[]

/** Parameters that GitLab's clients send to any list: credentials, pagination and options of the client itself. */
const ofClients = new Set([
  ...['page', 'per_page', 'pagination', 'cursor', 'order_by', 'sort', 'private_token', 'access_token', 'job_token'],
  ...['sudo', 'all', 'as_list', 'get_all', 'iterator', 'statistics', 'simple', 'with_custom_attributes', 'id'],
  ...['obey_rate_limit', 'retry_transient_errors', 'max_retries', 'timeout', 'lazy', 'organization_id'],
])

export function assertKnownFilters(unknown: UnknownFilters, query: RawParams, { properties }: TObject): void {
  const isRefused = (name: string) => (unknown === 'refused' ? !ofClients.has(name) : unknown.includes(name))
  const names = Object.keys(query).filter((name) => !Object.hasOwn(properties, name) && isRefused(name))
  if (names.length === 0) return
  const known = Object.keys(properties).filter((name) => !ofClients.has(name))
  throw parameterProblem(
    `${names.join(', ').slice(0, 200)} is not a filter of this list; there are: ${known.join(', ')}`,
  )
}
