import { describeRoutes } from '../../http/response/openapi.ts'
import { type Route, route } from '../../http/route.ts'
import { freeObject } from './views.ts'

/** The document describes its own route too, so the list of them is asked for when it is complete. */
export function documentRoute(routes: () => readonly Route[]): Route {
  return route({
    method: 'GET',
    path: '/-/openapi.json',
    outside: true,
    summary: 'Get this document: every operation of the server, as OpenAPI 3.1',
    permission: 'api.describe',
    status: 200,
    output: freeObject,
    // It depends on nothing that changes while the process lives.
    remember: [],
    handle: async () => describeRoutes(routes()),
  })
}
