import { describeRoutes } from '../../http/response/openapi/openapi.ts'
import type { Route } from '../../http/route.ts'
import { apiNames } from './openapi-names.ts'
import { route } from './route.ts'
import { freeObject } from './views.ts'

/** The document includes its own route, so `routes` is called only when the list is complete. */
export function documentRoute(routes: () => readonly Route[]): Route {
  return route({
    method: 'GET',
    path: '/-/openapi.json',
    outside: true,
    summary: 'Get the OpenAPI 3.1 document of this server',
    permission: 'api.describe',
    status: 200,
    output: freeObject,
    // The document does not change while the process runs.
    cacheTables: [],
    handle: async () => describeApi(routes()),
  })
}

export const describeApi = (routes: readonly Route[]) => describeRoutes(routes, apiNames)
