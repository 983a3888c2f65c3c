import { emptyParams, mergeParams, type RawParams } from '../params/raw-params.ts'
import { assertKnownFilters } from '../params/unknown-filters.ts'
import type { Endpoint } from './endpoint.ts'
import type { RequestState } from './request-state.ts'

/** Merges query, body and path, and turns them into the route's typed input. Throws 400 with every problem. */
export function validateInput(endpoint: Endpoint, state: RequestState): void {
  const { route, schema, readInput } = endpoint
  const { query, body = emptyParams(), pathParams } = state
  state.rawParams = withOrganization(endpoint, state, mergeParams(query, body, pathParams))
  if (route.unknownFilters) assertKnownFilters(route.unknownFilters, query, schema)
  state.input = readInput(state.rawParams)
}

/** A header names the organization for clients that do not send the parameter. */
function withOrganization({ hasOrganization }: Endpoint, { request }: RequestState, params: RawParams): RawParams {
  const named = String(request.headers['x-gitlab-organization-id'])
  if (!hasOrganization || params['organization_id'] !== undefined || !/^\d{1,15}$/.test(named)) return params
  return mergeParams(emptyParams(), params, { organization_id: named })
}
